// How a policy's weights are drawn: in order from one stream, on the CPU, so that a seed means the
// same weights everywhere; then they move to their device. Those that a file will fill aren't
// drawn: for a model of five million numbers that would take longer than to read it.
#pragma once

#include <cmath>

#include "bough/base/random.h"
#include "bough/model/layers/functions.h"
#include "bough/model/layers/linear_layer.h"
#include "bough/model/layers/packed_lstm.h"

namespace bough {

class Initialiser {
 public:
  Initialiser(uint64_t seed, torch::Device device, bool drawn)
      : random_(seed, Purpose::kInitialise), device_(device), drawn_(drawn && !device.is_meta()) {}

  torch::Tensor uniform(at::IntArrayRef shape, double low, double high) {
    return fill(shape, [&] { return low + (high - low) * random_.uniform(); });
  }
  torch::Tensor normal(at::IntArrayRef shape, double deviation) {
    return fill(shape, [&] { return deviation * random_.normal(); });
  }
  /// PyTorch's default for a linear layer: U(±1/√from).
  LinearLayer linear(int64_t from, int64_t to) {
    double bound = 1.0 / std::sqrt(static_cast<double>(from));
    // Braces: the draws are made in this order.
    return LinearLayer{uniform({to, from}, -bound, bound), uniform({to}, -bound, bound)};
  }
  /// The same without a bias.
  LinearLayer linear_without_bias(int64_t from, int64_t to) {
    double bound = 1.0 / std::sqrt(static_cast<double>(from));
    return LinearLayer{uniform({to, from}, -bound, bound), torch::Tensor()};
  }
  /// PyTorch's default for an LSTM: U(±1/√hidden).
  LstmLayer lstm(int64_t input, int64_t hidden) {
    double bound = 1.0 / std::sqrt(static_cast<double>(hidden));
    // Braces: the draws are made in this order.
    return LstmLayer{uniform({4 * hidden, input}, -bound, bound),
                     uniform({4 * hidden, hidden}, -bound, bound),
                     uniform({4 * hidden}, -bound, bound)};
  }
  torch::Tensor constant(at::IntArrayRef shape, double value) {
    return fill(shape, [value] { return value; });
  }
  torch::Tensor zeros(at::IntArrayRef shape) { return constant(shape, 0.0); }

 private:
  template <typename Draw>
  torch::Tensor fill(at::IntArrayRef shape, Draw draw) {
    if (!drawn_) return torch::empty(shape, device_).requires_grad_();
    torch::Tensor tensor = torch::empty(shape);
    for (float& value : change_numbers(tensor)) value = static_cast<float>(draw());
    return tensor.to(device_).requires_grad_();
  }

  RandomStream random_;
  torch::Device device_;
  bool drawn_;
};

}  // namespace bough
