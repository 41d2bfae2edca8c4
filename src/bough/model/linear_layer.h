// A linear layer: y = x · weightᵀ + bias.
#pragma once

#include "bough/model/packed_weight.h"
#include "bough/model/torch.h"

namespace bough {

struct LinearLayer {
  LinearLayer(torch::Tensor weight_, torch::Tensor bias_)
      : weight(weight_), bias(bias_), packed(weight_) {}

  torch::Tensor operator()(const torch::Tensor& input) const {
    return torch::addmm(bias, input, weight.t());
  }

  torch::Tensor weight;  // [to, from]
  torch::Tensor bias;    // [to]
  PackedWeight packed;
};

}  // namespace bough
