// Small differentiable functions that LibTorch has no fitting operator for.
#pragma once

#include <span>

#include "bough/model/policy.h"
#include "bough/model/torch.h"

namespace bough {

/// Rows of `weight` by index. Backward adds to weight.grad in place where that is there, so that no
/// second tensor of the vocabulary's size is made.
torch::Tensor gather_rows(const torch::Tensor& weight, std::span<const int64_t> indices);

/// Dropout whose mask is a hash of (masks.key, layer, position).
torch::Tensor apply_dropout(const torch::Tensor& input, const DropoutMasks& masks, uint64_t layer);

/// A contiguous float tensor's numbers.
std::span<float> numbers_of(const torch::Tensor& tensor);

}  // namespace bough
