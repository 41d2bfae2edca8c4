// The bag-of-words encoder of the paper's authors: the mean over the words and one </s> of
// embedding → linear, which is the linear map of the mean embedding.
//
// What it says is added to what every layer remembers, h, before every step (or before the first
// only). An LSTM reads h through its recurrent matrix U, and U (h + e) = U h + U e: so U e is
// worked out once a sentence and added to the gates.
#pragma once

#include <span>
#include <vector>

#include "bough/model/layers/linear_layer.h"
#include "bough/tree/step_input.h"

namespace bough {

struct BagEncoder {
  BagEncoder(torch::Tensor embedding_, LinearLayer linear_)
      : embedding(embedding_), linear(std::move(linear_)) {}

  /// [bags, hidden] with gradients. Words count in the order of their numbers, so that the order
  /// of a bag doesn't show.
  torch::Tensor encode(std::span<const SourceIds> bags) const;

  /// The same for steppers: each row by itself, to the last bit.
  void encode(std::span<const SourceIds> bags, Precision precision, float* encoded) const;

  torch::Tensor embedding;  // [vocabulary, embedding]
  LinearLayer linear;       // embedding → hidden
};

}  // namespace bough
