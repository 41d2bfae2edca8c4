// How sure a score is, and whether one system is better than another.
//
// Bootstrap resampling (Koehn, 2004): draw as many lines as there are, with replacement, and score
// them, again and again; the middle 95 % of the scores are the confidence interval. Approximate
// randomisation (Riezler and Maxwell, 2005): if two systems were alike, swapping their outputs line
// by line at random would change the difference of their scores little. Draws and formulas are
// sacreBLEU's: the same seed gives the same numbers. But what a metric can't tell apart has a
// p-value of 1, whereas sacreBLEU's rule (no draw differs by more than nothing) would call it
// significant.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bough/metrics/metric.h"

namespace bough {

/// The score of each of `resamples` draws of lines. The draws depend on the number of lines and the
/// seed alone: two systems are compared on the same ones.
std::vector<double> bootstrap_scores(const Metric& metric, const Rows& rows, int64_t resamples,
                                     uint64_t seed, size_t threads);

/// Mean and half the width of the 95 % confidence interval.
struct Interval {
  double mean = 0;
  double half_width = 0;
};
Interval confidence_interval(std::vector<double> scores);

/// How likely a difference as large as that of the true scores is by chance, judged by the
/// bootstrap scores of both systems; 1 where these never differ.
double bootstrap_p_value(std::span<const double> baseline, std::span<const double> system,
                         double true_difference);

/// The same by approximate randomisation over `trials`; 1 where the rows are equal.
double randomisation_p_value(const Metric& metric, const Rows& baseline, const Rows& system,
                             int64_t trials, uint64_t seed, size_t threads);

}  // namespace bough
