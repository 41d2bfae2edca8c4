#include "bough/train/adam_options.h"

#include <algorithm>
#include <cmath>

namespace bough {

double AdamOptions::rate_at(int64_t epoch, int64_t update) const {
  auto number = static_cast<double>(update + 1);
  auto rising = static_cast<double>(std::max<int64_t>(1, warmup));
  double rise = std::min(1.0, number / rising);
  if (schedule == RateSchedule::kInverseSqrt) {
    return learning_rate * std::min(rise, std::sqrt(rising / number));
  }
  if (lr_every == 0) return learning_rate * rise;
  return learning_rate * rise * std::pow(lr_factor, static_cast<double>(epoch / lr_every));
}

}  // namespace bough
