#include "bough/model/source_encoder.h"

#include "bough/model/functions.h"
#include "bough/model/packed_linear.h"
#include "bough/model/sinusoid_table.h"

namespace bough {

namespace {

using torch::Tensor;

/// All words in a row, each source closed by its </s>.
std::vector<int64_t> words_of(std::span<const Source> sources) {
  std::vector<int64_t> words;
  for (Source source : sources) {
    words.insert(words.end(), source.begin(), source.end());
    words.push_back(kBagEnd);
  }
  return words;
}

}  // namespace

Tensor position_rows(const RowLayout& layout, int64_t width) {
  Tensor positions = torch::empty({layout.rows(), width});
  float* numbers = change_numbers(positions).data();
  SinusoidTable table(width);
  for (int64_t s = 0; s < layout.sentences(); ++s) {
    int64_t position = 0;
    for (int64_t row : layout.rows_of(s)) {
      std::copy_n(table.at(position++), width, numbers + row * width);
    }
  }
  return positions;
}

RowLayout SourceEncoder::layout_of(std::span<const Source> sources) {
  std::vector<int64_t> lengths;
  for (Source source : sources) lengths.push_back(static_cast<int64_t>(source.size()) + 1);
  return RowLayout(lengths);
}

Tensor SourceEncoder::encode(std::span<const Source> sources, const RowLayout& layout,
                             Dropout& dropout) const {
  Tensor state = gather_rows(embedding, words_of(sources)) * input_scale(embedding.size(1));
  if (input) state = packed_linear(*input, state);
  state = dropout(state + position_rows(layout, state.size(1)).to(state.device()));
  return stack.forward({state, layout}, nullptr, dropout);
}

std::vector<float> SourceEncoder::run(std::span<const Source> sources,
                                      const RowLayout& layout) const {
  std::vector<int64_t> words = words_of(sources);
  auto rows = static_cast<int64_t>(words.size());
  int64_t width = stack.width();
  std::vector<float> state;
  for (int64_t word : words) {
    const float* vector = embedding.data_ptr<float>() + word * embedding.size(1);
    for (int64_t j = 0; j < embedding.size(1); ++j) {
      state.push_back(input_scale(embedding.size(1)) * vector[j]);
    }
  }
  if (input) apply_linear(*input, std::vector<float>(state).data(), rows, state);
  Tensor positions = position_rows(layout, width);
  for (size_t i = 0; i < state.size(); ++i) state[i] += positions.data_ptr<float>()[i];

  // The words of a source share one memory in each layer.
  std::vector<SourceMemory> memories(sources.size(),
                                     SourceMemory(stack.layers.size(), KeyValueCache(width)));
  std::vector<LayerViews> views(stack.layers.size());
  for (size_t i = 0; i < views.size(); ++i) {
    for (size_t s = 0; s < sources.size(); ++s) {
      views[i].self.insert(views[i].self.end(), sources[s].size() + 1, &memories[s][i]);
    }
  }
  TransformerRunner(stack).run(state, rows, views);
  return state;
}

std::vector<SourceMemory> SourceEncoder::remember(std::span<const Source> sources,
                                                  const TransformerStack& decoder) const {
  RowLayout layout = layout_of(sources);
  std::vector<float> encoded = run(sources, layout);
  int64_t width = stack.width();
  std::vector<SourceMemory> memories(sources.size());
  std::vector<float> keys;
  std::vector<float> values;
  for (const TransformerLayer& layer : decoder.layers) {
    apply_linear(layer.source->key, encoded.data(), layout.rows(), keys);
    apply_linear(layer.source->value, encoded.data(), layout.rows(), values);
    for (size_t s = 0; s < sources.size(); ++s) {
      KeyValueCache& memory = memories[s].emplace_back(width);
      for (int64_t row : layout.rows_of(static_cast<int64_t>(s))) {
        memory.append(keys.data() + row * width, values.data() + row * width);
      }
    }
  }
  return memories;
}

}  // namespace bough
