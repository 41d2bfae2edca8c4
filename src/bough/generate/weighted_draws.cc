#include "bough/generate/weighted_draws.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace bough {

namespace {

constexpr size_t kResamples = 1000;

/// Of log means of as many weights, drawn again from those that there are. They are relative to the
/// largest.
LogInterval resample(std::span<const double> weights, RandomStream& random) {
  std::vector<double> logs(kResamples);
  auto size = static_cast<uint64_t>(weights.size());
  for (double& log : logs) {
    double sum = 0.0;
    for (uint64_t i = 0; i < size; ++i) sum += weights[random.below(size)];
    log = std::log(sum / static_cast<double>(size));
  }
  auto at = [&](double share) {
    auto place = logs.begin() + static_cast<int64_t>(share * static_cast<double>(kResamples - 1));
    std::nth_element(logs.begin(), place, logs.end());
    return *place;
  };
  double low = at(0.025);
  return {low, at(0.975)};
}

}  // namespace

double log_sum_of(std::span<const double> logs) {
  if (logs.empty()) return -std::numeric_limits<double>::infinity();
  double largest = *std::max_element(logs.begin(), logs.end());
  if (std::isinf(largest)) return largest;
  double sum = 0.0;
  for (double log : logs) sum += std::exp(log - largest);
  return largest + std::log(sum);
}

WeightedEstimate estimate(std::span<const WeightedDraw> draws, RandomStream& random) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const WeightedDraw& draw : draws) largest = std::max(largest, draw.log_weight);
  std::vector<double> weights;  // of each draw, over the largest
  WeightedEstimate result;
  double sum = 0.0;
  double squares = 0.0;
  for (const WeightedDraw& draw : draws) {
    double weight = std::exp(draw.log_weight - largest);
    auto count = static_cast<double>(draw.count);
    weights.insert(weights.end(), static_cast<size_t>(draw.count), weight);
    sum += count * weight;
    squares += count * weight * weight;
  }
  auto size = static_cast<double>(weights.size());
  double log_mean = std::log(sum / size);
  result.log_mean = largest + log_mean;
  result.effective = sum * sum / squares;
  result.variance =
      size > 1.0 ? std::max(0.0, (size / result.effective - 1.0) / (size - 1.0)) : 0.0;
  result.interval = {result.log_mean, result.log_mean};
  if (draws.size() > 1) {
    LogInterval again = resample(weights, random);
    result.interval.low += std::min(0.0, log_mean - again.high);
    result.interval.high += std::max(0.0, log_mean - again.low);
  }
  return result;
}

}  // namespace bough
