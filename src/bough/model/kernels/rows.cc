#include "bough/model/kernels/rows.h"

#include <algorithm>
#include <cmath>

#include "bough/model/kernels/table.h"

namespace bough {

namespace {

/// The largest number of a row, Σ exp(x − max) and Σ exp(x − max) · (x − max).
struct ExpMoments {
  float max = 0.0F;
  float sum = 0.0F;
  float weighted = 0.0F;
};
ExpMoments exp_moments(std::span<const float> row) {
  auto size = static_cast<int64_t>(row.size());
  ExpMoments result{.max = kernels().largest(row.data(), size)};
  kernels().exp_moments(row.data(), size, result.max, &result.sum, &result.weighted);
  return result;
}

}  // namespace

float add_bias(std::span<float> row, std::span<const float> bias) {
  return kernels().add_bias(row.data(), bias.data(), static_cast<int64_t>(row.size()));
}

float exponentiate(std::span<float> row, float max) {
  return kernels().exponentiate(row.data(), static_cast<int64_t>(row.size()), max);
}

ExpSum exponentiate(std::span<float> row) {
  float max = kernels().largest(row.data(), static_cast<int64_t>(row.size()));
  return {max, exponentiate(row, max)};
}

float log_sum_exp(std::span<const float> row) {
  ExpMoments moments = exp_moments(row);
  return moments.max + std::log(moments.sum);
}

Distribution distribution_of(std::span<const float> row) {
  ExpMoments moments = exp_moments(row);
  double log_sum = std::log(static_cast<double>(moments.sum));
  return {.log_sum = moments.max + log_sum,
          .entropy = log_sum - static_cast<double>(moments.weighted) / moments.sum};
}

int64_t largest_index(std::span<const float> row) {
  constexpr size_t kBlock = 1024;
  std::span<const float> best = row.first(std::min(kBlock, row.size()));
  float most = -INFINITY;
  for (size_t begin = 0; begin < row.size(); begin += kBlock) {
    auto block = row.subspan(begin, std::min(kBlock, row.size() - begin));
    float largest = kernels().largest(block.data(), static_cast<int64_t>(block.size()));
    if (largest <= most) continue;
    most = largest;
    best = block;
  }
  return std::find(best.begin(), best.end(), most) - best.begin() + (best.data() - row.data());
}

int64_t draw_index(std::span<const float> weights, double uniform) {
  constexpr size_t kBlock = 512;
  std::vector<double> sums;
  double total = 0.0;
  for (size_t begin = 0; begin < weights.size(); begin += kBlock) {
    size_t count = std::min(kBlock, weights.size() - begin);
    sums.push_back(kernels().sum(weights.data() + begin, static_cast<int64_t>(count)));
    total += sums.back();
  }
  double left = uniform * total;
  size_t block = 0;
  size_t last_positive = 0;
  for (; block < sums.size(); ++block) {
    if (sums[block] <= 0.0) continue;
    last_positive = block;
    if (left < sums[block]) break;
    left -= sums[block];
  }
  size_t begin = last_positive * kBlock;
  size_t end = std::min(begin + kBlock, weights.size());
  size_t chosen = begin;
  for (size_t i = begin; i < end; ++i) {
    if (weights[i] <= 0.0F) continue;
    chosen = i;
    left -= weights[i];
    if (left < 0.0) break;
  }
  return static_cast<int64_t>(chosen);
}

void group_maxima(std::span<const float> row, int64_t members, std::vector<float>& maxima) {
  const KernelTable& chosen = kernels();
  auto size = static_cast<int64_t>(row.size());
  int64_t chunk = kGroups * members;
  maxima.assign(static_cast<size_t>((size + chunk - 1) / chunk * kGroups), -INFINITY);
  int64_t begin = 0;
  for (; begin + chunk <= size; begin += chunk) {
    chosen.maxima(row.data() + begin, members, maxima.data() + begin / members);
  }
  for (int64_t i = begin; i < size; ++i) {
    float& most = maxima[static_cast<size_t>(begin / members + (i - begin) % kGroups)];
    most = std::max(most, row[static_cast<size_t>(i)]);
  }
}

void scale(std::span<float> row, float factor) {
  kernels().scale(row.data(), static_cast<int64_t>(row.size()), factor);
}

void scale_and_add(std::span<float> row, float factor, std::span<float> total) {
  kernels().scale_and_add(row.data(), static_cast<int64_t>(row.size()), factor, total.data());
}

float dot(std::span<const float> a, std::span<const float> b) {
  return kernels().dot(a.data(), b.data(), static_cast<int64_t>(a.size()));
}

void squash(std::span<float> row) {
  kernels().squash(row.data(), static_cast<int64_t>(row.size()));
}

}  // namespace bough
