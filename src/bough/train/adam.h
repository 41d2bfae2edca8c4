// Adam with gradient clipping, one fused pass over each parameter (several by LibTorch's operators
// where our kernels aren't used).
#pragma once

#include "bough/model/policy.h"

namespace bough {

class Adam {
 public:
  /// Gives every parameter a gradient of zeros; backward passes add to it.
  explicit Adam(NamedTensors parameters);

  /// One update, after which the gradients are zero again. Gives the gradient's norm before
  /// clipping; a norm that isn't finite changes nothing.
  double update(double learning_rate, double clip);

  /// The moments, named after their parameters; the tensors are Adam's own.
  NamedTensors state() const;

  int64_t steps() const { return steps_; }
  void set_steps(int64_t steps) { steps_ = steps; }

 private:
  NamedTensors parameters_;
  NamedTensors first_;
  NamedTensors second_;
  int64_t steps_ = 0;
};

}  // namespace bough
