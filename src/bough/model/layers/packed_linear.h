// A linear layer on many rows, with gradients: like LinearLayer itself, but its products are
// oneDNN's, and backward adds to the weights' .grad in place.
#pragma once

#include "bough/model/layers/linear_layer.h"

namespace bough {

enum class Activation { kNone, kRelu };

/// [rows, to] from [rows, from]. The input has to require gradients for the weights to get any.
torch::Tensor packed_linear(const LinearLayer& layer, const torch::Tensor& input,
                            Activation activation = Activation::kNone);

}  // namespace bough
