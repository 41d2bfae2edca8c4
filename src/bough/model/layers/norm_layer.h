// Layer normalisation: (x − mean) / √(variance + ε) · scale + shift, over each row.
//
// LibTorch's own wakes all threads for any number of rows, which costs more than the work where a
// model is small or the machine busy.
#pragma once

#include "bough/model/torch.h"

namespace bough {

struct NormLayer {
  static constexpr double kEpsilon = 1e-5;

  /// [rows, width] with gradients. The input has to require gradients for the weights to get any.
  torch::Tensor operator()(const torch::Tensor& rows) const;

  /// The same without, on plain arrays: each row by itself, to the last bit. `to` may be `from`.
  void run(const float* from, int64_t rows, float* to) const;

  torch::Tensor scale;  // [width]
  torch::Tensor shift;  // [width]
};

}  // namespace bough
