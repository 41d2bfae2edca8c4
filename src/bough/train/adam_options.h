// How Adam learns: the learning rate's way through a run, and a bound on gradients.
#pragma once

#include "bough/base/options.h"

namespace bough {

enum class RateSchedule { kSteps, kInverseSqrt };
template <>
struct EnumNames<RateSchedule> {
  static constexpr auto kNames = std::to_array<EnumName<RateSchedule>>(
      {{RateSchedule::kSteps, "steps"}, {RateSchedule::kInverseSqrt, "inverse-sqrt"}});
};

struct AdamOptions {
  double learning_rate = 1e-3;
  RateSchedule schedule = RateSchedule::kSteps;
  double lr_factor = 0.5;
  int64_t lr_every = 20;
  int64_t warmup = 0;
  int64_t cool_down = 0;
  double clip = 1.0;

  void declare(OptionSet& set) {
    set.group("Optimizer (Adam)");
    set.number("learning-rate", learning_rate, {0.0, 10.0}, "the highest");
    set.choice("lr-schedule", schedule,
               "how it falls: in steps, or with the square root of the number of updates");
    set.number("lr-factor", lr_factor, {0.0, 1.0}, "steps: multiply the learning rate by this …");
    set.integer("lr-every", lr_every, {0, 1'000'000}, "… after every so many epochs; 0: never");
    set.integer("warmup", warmup, {0, 1'000'000'000}, "rise to the highest over so many updates");
    set.integer("cool-down", cool_down, {0, 1'000'000'000},
                "fall to zero over the last so many of --updates");
    set.number("clip", clip, {0.0, 1e9}, "largest norm of the gradient; 0: no bound");
  }

  /// Both counted from 0, of a run of so many updates (0: not known).
  double rate_at(int64_t epoch, int64_t update, int64_t updates = 0) const;

 private:
  double rate_before_cooling(int64_t epoch, int64_t update) const;
};

}  // namespace bough
