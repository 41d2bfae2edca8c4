#include "bough/model/layers/transformer_runner.h"

#include "bough/model/kernels/dispatch.h"

#include "bough/model/team.h"

namespace bough {

namespace {

/// Each row's query looks at its cache.
template <typename Cache>
void attend_rows(const std::vector<float>& query, std::span<Cache* const> caches, int64_t heads,
                 std::vector<float>& context) {
  auto rows = static_cast<int64_t>(caches.size());
  int64_t width = static_cast<int64_t>(query.size()) / rows;
  context.resize(query.size());
  int64_t keys = 0;
  for (Cache* cache : caches) keys += cache->size();
  team_for(rows, keys * width > 4 * kWorthAThread, Share::kAsFree, [&](int64_t row) {
    caches[static_cast<size_t>(row)]->attend(query.data() + row * width, heads,
                                             context.data() + row * width);
  });
}

}  // namespace

template <typename Sublayer>
void TransformerRunner::add_sublayer(const NormLayer& norm, std::vector<float>& state,
                                     Sublayer sublayer) {
  bool before = stack_.place == NormPlace::kPre;
  if (before) {
    normed_.resize(state.size());
    norm.run(state.data(), rows_, normed_.data());
  }
  sublayer(before ? normed_.data() : state.data());
  float* sum = state.data();
  const float* added = result_.data();
#pragma omp simd
  for (size_t i = 0; i < state.size(); ++i) sum[i] += added[i];
  if (!before) norm.run(state.data(), rows_, state.data());
}

void TransformerRunner::run(std::vector<float>& state, int64_t rows,
                            std::span<const LayerViews> views) {
  rows_ = rows;
  int64_t width = static_cast<int64_t>(state.size()) / rows;
  for (size_t i = 0; i < stack_.layers.size(); ++i) {
    const TransformerLayer& layer = stack_.layers[i];
    add_sublayer(layer.self_norm, state, [&](const float* input) {
      apply(layer.self.query, input, query_);
      apply(layer.self.key, input, key_);
      apply(layer.self.value, input, value_);
      for (int64_t row = 0; row < rows; ++row) {
        views[i].self[static_cast<size_t>(row)]->append(key_.data() + row * width,
                                                        value_.data() + row * width);
      }
      attend_rows<KeyValueCache>(query_, views[i].self, stack_.heads, context_);
      apply(layer.self.output, context_.data(), result_);
    });
    if (layer.source) {
      add_sublayer(*layer.source_norm, state, [&](const float* input) {
        apply(layer.source->query, input, query_);
        attend_rows<const KeyValueCache>(query_, views[i].source, stack_.heads, context_);
        apply(layer.source->output, context_.data(), result_);
      });
    }
    add_sublayer(layer.feed_forward_norm, state, [&](const float* input) {
      apply(layer.inner, input, inner_);
      rectify(inner_);
      apply(layer.outer, inner_.data(), result_);
    });
  }
  if (stack_.norm) stack_.norm->run(state.data(), rows, state.data());
}

}  // namespace bough
