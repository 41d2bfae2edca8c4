#include "bough/train/adam_options.h"

#include <algorithm>
#include <cmath>

namespace bough {

double AdamOptions::rate_at(int64_t epoch, int64_t update, int64_t updates) const {
  double rate = rate_before_cooling(epoch, update);
  if (cool_down == 0 || updates == 0) return rate;
  auto left = static_cast<double>(std::max<int64_t>(0, updates - update));
  return rate * std::min(1.0, left / static_cast<double>(cool_down));
}

double AdamOptions::rate_before_cooling(int64_t epoch, int64_t update) const {
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
