// The Transformer encoder: reads the words of a source in their order, and one </s> behind them (so
// that no source is empty), and gives a vector for each. Every word sees all others.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bough/model/transformer_runner.h"
#include "bough/model/transformer_stack.h"
#include "bough/tree/step_input.h"

namespace bough {

/// Word vectors are kept so small that they serve as an output layer too; as an input they are
/// multiplied by this, after Vaswani et al.
inline float input_scale(int64_t embedding_size) {
  return std::sqrt(static_cast<float>(embedding_size));
}

/// Packed rows' positions as vectors: [rows, width].
torch::Tensor position_rows(const RowLayout& layout, int64_t width);

/// Keys and values of a source, by layer of the decoder.
using SourceMemory = std::vector<KeyValueCache>;

struct SourceEncoder {
  /// Where each source's rows are.
  static RowLayout layout_of(std::span<const Source> sources);

  /// [words, width] with gradients, rows by layout_of.
  torch::Tensor encode(std::span<const Source> sources, const RowLayout& layout,
                       Dropout& dropout) const;

  /// For steppers: what a decoder's layers look at, source by source.
  std::vector<SourceMemory> remember(std::span<const Source> sources,
                                     const TransformerStack& decoder) const;

  torch::Tensor embedding;           // [source vocabulary, embedding]
  std::optional<LinearLayer> input;  // embedding → width; none where these are the same
  TransformerStack stack;

 private:
  /// The encoded rows by kernels.
  std::vector<float> run(std::span<const Source> sources, const RowLayout& layout) const;
};

}  // namespace bough
