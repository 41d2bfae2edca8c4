// What steppers without kernels have in common: numbers that go to the policy's device and back.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "bough/model/functions.h"

namespace bough {

/// Numbers of words or rows, on the device that they are to index.
template <typename Number>
torch::Tensor indices_on(torch::Device device, std::span<const Number> numbers) {
  std::vector<int64_t> wide(numbers.begin(), numbers.end());
  return torch::tensor(wide, torch::kInt64).to(device);
}

inline void copy_out(const torch::Tensor& from, std::span<float> to) {
  torch::Tensor here = from.detach().cpu().contiguous();
  std::ranges::copy(numbers_of(here), to.begin());
}

/// Logits of a few actions; `features` is [embedding].
inline void plain_scores(const OutputLayer& layer, const torch::Tensor& features,
                         std::span<const WordId> actions, std::span<float> logits) {
  torch::NoGradGuard no_gradients;
  torch::Tensor index = indices_on(features.device(), actions);
  copy_out(torch::addmv(layer.bias.index_select(0, index), layer.weight.index_select(0, index),
                        features),
           logits);
}

/// Logits of all actions; `features` is [rows, embedding].
inline void plain_all_scores(const OutputLayer& layer, const torch::Tensor& features,
                             std::span<float> logits) {
  torch::NoGradGuard no_gradients;
  copy_out(torch::addmm(layer.bias, features, layer.weight.t()), logits);
}

}  // namespace bough
