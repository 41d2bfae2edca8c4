// A linear layer: y = x · weightᵀ + bias, or without a bias.
#pragma once

#include "bough/model/layers/packed_weight.h"
#include "bough/model/named_tensors.h"
#include "bough/model/torch.h"

namespace bough {

struct LinearLayer {
  LinearLayer(torch::Tensor weight_, torch::Tensor bias_)
      : weight(weight_), bias(bias_), packed(weight_) {}

  torch::Tensor operator()(const torch::Tensor& input) const {
    return bias.defined() ? torch::addmm(bias, input, weight.t()) : torch::mm(input, weight.t());
  }

  torch::Tensor weight;  // [to, from]
  torch::Tensor bias;    // [to], or undefined
  PackedWeight packed;
};

inline void add_linear(const std::string& name, const LinearLayer& layer, NamedTensors& all) {
  all.emplace_back(name + ".weight", layer.weight);
  if (layer.bias.defined()) all.emplace_back(name + ".bias", layer.bias);
}

}  // namespace bough
