// What weighted draws say of their sum.
#include "bough/generate/weighted_draws.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace bough {
namespace {

WeightedEstimate estimate_of(const std::vector<WeightedDraw>& draws) {
  RandomStream random(1, Purpose::kTest);
  return estimate(draws, random);
}

TEST(WeightedDraws, EqualWeightsLeaveNoDoubt) {
  for (const auto& draws : {std::vector<WeightedDraw>(8, {-700.0, 1}), {{-700.0, 8}}}) {
    WeightedEstimate found = estimate_of(draws);
    EXPECT_NEAR(found.log_mean, -700.0, 1e-9);
    EXPECT_NEAR(found.effective, 8.0, 1e-9);
    EXPECT_NEAR(found.variance, 0.0, 1e-9);
    EXPECT_NEAR(found.interval.low, -700.0, 1e-9);
    EXPECT_NEAR(found.interval.high, -700.0, 1e-9);
  }
}

TEST(WeightedDraws, OneHeavyDrawIsOneDraw) {
  WeightedEstimate found = estimate_of({{0.0, 1}, {-50.0, 99}});
  EXPECT_NEAR(found.log_mean, std::log(0.01), 1e-9);
  EXPECT_NEAR(found.effective, 1.0, 1e-6);
  EXPECT_NEAR(found.variance, 1.0, 1e-6);
  EXPECT_LE(found.interval.low, found.log_mean);
  EXPECT_GT(found.interval.high, found.log_mean + 1.0) << "others like it may have been missed";
}

TEST(WeightedDraws, CountsAreRepetitions) {
  WeightedEstimate counted = estimate_of({{-1.0, 3}, {-2.5, 2}});
  WeightedEstimate repeated = estimate_of({{-1.0}, {-1.0}, {-1.0}, {-2.5}, {-2.5}});
  EXPECT_NEAR(counted.log_mean, repeated.log_mean, 1e-12);
  EXPECT_NEAR(counted.effective, repeated.effective, 1e-9);
  EXPECT_NEAR(counted.interval.low, repeated.interval.low, 1e-9);
  EXPECT_NEAR(counted.interval.high, repeated.interval.high, 1e-9);
}

TEST(WeightedDraws, SumsOfLogs) {
  EXPECT_EQ(log_sum_of({}), -INFINITY);
  EXPECT_EQ(log_sum_of(std::vector<double>{-INFINITY, -INFINITY}), -INFINITY);
  EXPECT_NEAR(log_sum_of(std::vector{-1000.0, -1000.0}), -1000.0 + std::log(2.0), 1e-9);
}

}  // namespace
}  // namespace bough
