// Loops over long arrays, the size of a parameter: cut into pieces, whatever the number of
// threads.
#pragma once

#include <cstdint>
#include <span>

namespace bough {

/// Adam's step for one parameter tensor, gradients scaled by `gradient_scale` first. The gradient
/// is zero afterwards, ready for the next update.
struct AdamStep {
  double learning_rate = 0.0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  int64_t step = 1;  // counted from 1
  double gradient_scale = 1.0;
};
void adam_update(const AdamStep& step, std::span<float> parameter, std::span<float> gradient,
                 std::span<float> first_moment, std::span<float> second_moment);

double sum_of_squares(std::span<const float> values);

/// y[i] = x[i] / keep, or 0 with probability 1 − keep, decided by a hash of the key, the row's name
/// and the place in it: the same key gives the same mask, so that none has to be kept for the backward
/// pass, and a row's mask doesn't depend on the rows beside it. As many rows as names.
void dropout(std::span<const float> x, std::span<float> y, double keep, uint64_t key,
             std::span<const uint64_t> rows);

}  // namespace bough
