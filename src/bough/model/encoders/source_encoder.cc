#include "bough/model/encoders/source_encoder.h"

#include "bough/model/layers/functions.h"
#include "bough/model/layers/packed_linear.h"
#include "bough/model/layers/sinusoid_table.h"

namespace bough {

namespace {

using torch::Tensor;

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

Tensor SourceEncoder::encode(const SourceWords& sources, Dropout& dropout) const {
  const RowLayout& layout = sources.layout;
  Tensor state = gather_rows(embedding, sources.words) * input_scale(embedding.size(1));
  if (input) state = packed_linear(*input, state);
  state = dropout(state + position_rows(layout, state.size(1)).to(state.device()));
  return stack.forward({state, layout}, nullptr, dropout);
}

std::vector<float> SourceEncoder::run(const SourceWords& sources, Precision precision) const {
  const RowLayout& layout = sources.layout;
  int64_t rows = layout.rows();
  int64_t width = stack.width();
  std::vector<float> state;
  for (int64_t word : sources.words) {
    const float* vector = embedding.data_ptr<float>() + word * embedding.size(1);
    for (int64_t j = 0; j < embedding.size(1); ++j) {
      state.push_back(input_scale(embedding.size(1)) * vector[j]);
    }
  }
  if (input) apply_linear(*input, precision, std::vector<float>(state).data(), rows, state);
  Tensor positions = position_rows(layout, width);
  for (size_t i = 0; i < state.size(); ++i) state[i] += positions.data_ptr<float>()[i];

  // The words of a source share one memory in each layer.
  std::vector<SourceMemory> memories(static_cast<size_t>(layout.sentences()),
                                     SourceMemory(stack.layers.size(), KeyValueCache(width)));
  std::vector<LayerViews> views(stack.layers.size());
  for (size_t i = 0; i < views.size(); ++i) {
    for (size_t s = 0; s < memories.size(); ++s) {
      auto words = static_cast<size_t>(layout.length(static_cast<int64_t>(s)));
      views[i].self.insert(views[i].self.end(), words, &memories[s][i]);
    }
  }
  TransformerRunner(stack, precision).run(state, rows, views);
  return state;
}

std::vector<SourceMemory> SourceEncoder::remember(std::span<const SourceIds> sources,
                                                  const TransformerStack& decoder,
                                                  Precision precision) const {
  SourceWords words(sources);
  const RowLayout& layout = words.layout;
  std::vector<float> encoded = run(words, precision);
  int64_t width = stack.width();
  std::vector<SourceMemory> memories(sources.size());
  std::vector<float> keys;
  std::vector<float> values;
  for (const TransformerLayer& layer : decoder.layers) {
    apply_linear(layer.source->key, precision, encoded.data(), layout.rows(), keys);
    apply_linear(layer.source->value, precision, encoded.data(), layout.rows(), values);
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
