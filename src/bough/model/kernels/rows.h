// What is done to a row of logits, or to any short row of numbers: softmax and its sums, draws,
// the largest, and the like.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bough {

/// row += bias; gives the row's largest number.
float add_bias(std::span<float> row, std::span<const float> bias);

/// Turns a row into exp(x − max) for its largest number `max`; gives the sum. The softmax is
/// row / sum, the log-sum-exp is max + log(sum).
float exponentiate(std::span<float> row, float max);

struct ExpSum {
  float max = 0.0F;
  float sum = 0.0F;
};
/// The same, and finds `max` itself.
ExpSum exponentiate(std::span<float> row);

/// For a row that has to stay as it is.
float log_sum_exp(std::span<const float> row);

/// log Σ exp(x) and the entropy of the softmax, in nats.
struct Distribution {
  double log_sum = 0.0;
  double entropy = 0.0;
};
Distribution distribution_of(std::span<const float> row);

/// Where the largest number is; of equal ones the first.
int64_t largest_index(std::span<const float> row);

/// An index drawn in proportion to `weights` (at least one positive), by a number in [0, 1).
int64_t draw_index(std::span<const float> weights, double uniform);

/// The largest number of each group: a chunk of kGroups · members numbers is dealt out in turn to
/// kGroups groups, so group g of chunk c has the indices (c · members + j) · kGroups + g.
constexpr int64_t kGroups = 16;
void group_maxima(std::span<const float> row, int64_t members, std::vector<float>& maxima);

/// row · factor, which is also added to `total`.
void scale_and_add(std::span<float> row, float factor, std::span<float> total);

void scale(std::span<float> row, float factor);

float dot(std::span<const float> a, std::span<const float> b);

/// tanh of each number.
void squash(std::span<float> row);

}  // namespace bough
