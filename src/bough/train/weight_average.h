// An exponential average of a policy's weights, kept beside them while they are trained.
//
//     average ← d · average + (1 − d) · weights,   d = min(decay, (1 + t) / (10 + t)) at update t
//
// so that the first, untrained weights are soon forgotten. It wavers less than the weights do, and
// mostly validates better: where there is one, it is what is judged and kept.
#pragma once

#include "bough/model/named_tensors.h"

namespace bough {

class WeightAverage {
 public:
  /// Begins with the weights as they are; these are the policy's own tensors.
  WeightAverage(NamedTensors weights, double decay);

  /// After update t, counted from 1.
  void add(int64_t update);

  /// While this is there, the policy's weights are the average.
  class InUse {
   public:
    explicit InUse(WeightAverage* average) : average_(average) { swap(); }
    ~InUse() { swap(); }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;

   private:
    void swap() const {
      if (average_ != nullptr) average_->swap();
    }
    WeightAverage* average_;  // or null: nothing changes
  };

  /// To be saved and restored, named after the weights.
  const NamedTensors& state() const { return average_; }

 private:
  void swap();

  NamedTensors weights_;
  NamedTensors average_;
  double decay_;
};

}  // namespace bough
