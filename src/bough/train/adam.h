// Adam with gradient clipping, one fused pass over each parameter (several by LibTorch's operators
// where our kernels aren't used).
#pragma once

#include "bough/model/policy.h"

namespace bough {

enum class RateSchedule { kSteps, kInverseSqrt };
template <>
struct EnumNames<RateSchedule> {
  static constexpr std::array<std::pair<RateSchedule, std::string_view>, 2> kNames{
      {{RateSchedule::kSteps, "steps"}, {RateSchedule::kInverseSqrt, "inverse-sqrt"}}};
};

struct AdamOptions {
  double learning_rate = 1e-3;
  RateSchedule schedule = RateSchedule::kSteps;
  double lr_factor = 0.5;
  int64_t lr_every = 20;
  int64_t warmup = 0;
  double clip = 1.0;

  void declare(OptionSet& set) {
    set.group("Optimizer (Adam)");
    set.number("learning-rate", learning_rate, {0.0, 10.0}, "the highest");
    set.choice("lr-schedule", schedule,
               "how it falls: in steps, or with the square root of the number of updates");
    set.number("lr-factor", lr_factor, {0.0, 1.0}, "steps: multiply the learning rate by this …");
    set.integer("lr-every", lr_every, {0, 1'000'000}, "… after every so many epochs; 0: never");
    set.integer("warmup", warmup, {0, 1'000'000'000}, "rise to the highest over so many updates");
    set.number("clip", clip, {0.0, 1e9}, "largest norm of the gradient; 0: no bound");
  }

  /// Both counted from 0.
  double rate_at(int64_t epoch, int64_t update) const;
};

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
