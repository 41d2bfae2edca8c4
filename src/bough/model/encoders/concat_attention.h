// Concat attention over the words of a source (Luong et al.), as the paper's additional LSTM policy
// has it; s is the policy's state, e_j the encoder's vector of the source's word j:
//
//     weights = softmax over j of  v · tanh(W [e_j; s])
//     output = tanh(C [s; Σ_j weight_j · e_j])
//
// W and C are cut into the columns that meet the source and those that meet the state. What the
// source's give, keys and values, is worked out once a source (a mean of C e_j is C of the mean),
// so that a step costs one product with the state, as wide as it is high twice over.
#pragma once

#include <vector>

#include "bough/model/layers/linear_layer.h"
#include "bough/model/layers/row_layout.h"

namespace bough {

/// What a stepper looks at: [words, 2·hidden], the key of each word of a source, then its value.
using ConcatMemory = std::vector<float>;

struct ConcatAttention {
  /// [rows, hidden] with gradients: `state` is [rows, hidden], `words` [words, 2·hidden]; both
  /// layouts are of the same sentences.
  torch::Tensor attend(const torch::Tensor& state, const RowLayout& state_rows,
                       const torch::Tensor& words, const RowLayout& word_rows) const;

  /// For steppers: what they look at, source by source; each by itself, to the last bit.
  std::vector<ConcatMemory> remember(const torch::Tensor& words, const RowLayout& word_rows,
                                     Precision precision) const;

  /// For steppers: the output of each row's state, which looks at one memory.
  void run(const float* states, const std::vector<const ConcatMemory*>& memories,
           Precision precision, std::vector<float>& output) const;

  int64_t hidden() const { return score.size(0); }

  LinearLayer source;   // 2·hidden → a key and a value; without a bias, like the next
  LinearLayer state;    // hidden → a query and the state's own part of the output
  torch::Tensor score;  // [hidden] v
};

}  // namespace bough
