// The Transformer encoder: reads the words of a source in their order and gives a vector for each.
// Every word sees all others.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bough/model/encoders/source_words.h"
#include "bough/model/layers/transformer_runner.h"
#include "bough/model/layers/transformer_stack.h"

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
  /// [words, width] with gradients.
  torch::Tensor encode(const SourceWords& sources, Dropout& dropout) const;

  /// For steppers: what a decoder's layers look at, source by source.
  std::vector<SourceMemory> remember(std::span<const SourceIds> sources,
                                     const TransformerStack& decoder, Precision precision) const;

  torch::Tensor embedding;           // [source vocabulary, embedding]
  std::optional<LinearLayer> input;  // embedding → width; none where these are the same
  TransformerStack stack;

 private:
  /// The encoded rows by kernels.
  std::vector<float> run(const SourceWords& sources, Precision precision) const;
};

}  // namespace bough
