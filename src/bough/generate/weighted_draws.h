// What weighted draws say of the sum that they estimate.
//
// Each draw's weight W has the sum p as its expectation, so their mean is an unbiased estimate of
// p. Its logarithm is below log p in expectation, by about half of the mean's relative variance. A
// draw that several share is counted, not repeated.
#pragma once

#include <cstdint>
#include <span>

#include "bough/base/random.h"

namespace bough {

struct WeightedDraw {
  double log_weight = 0.0;
  int64_t count = 1;
};

struct LogInterval {
  double low = 0.0;
  double high = 0.0;
};

struct WeightedEstimate {
  double log_mean = 0.0;   // log of the mean weight
  double effective = 0.0;  // (Σ W)² / Σ W²: how many draws of equal weight say as much
  double variance = 0.0;   // of the mean, over its square
  LogInterval interval{};  // of log_mean: 95 %
};

/// log Σ exp(x), −∞ of none.
double log_sum_of(std::span<const double> logs);

/// The interval is a bootstrap's, reflected at the estimate (the "basic" one): draws that seldom
/// come and weigh much have mostly been missed, so the truth is more often above than below.
WeightedEstimate estimate(std::span<const WeightedDraw> draws, RandomStream& random);

}  // namespace bough
