#include "bough/model/kernels/top_k.h"

#include <algorithm>
#include <cmath>

#include "bough/model/kernels/rows.h"

namespace bough {

namespace {

/// The k-th largest of `values`, which are put out of order; −∞ where there are fewer.
float kth_largest(std::vector<float>& values, int64_t k) {
  if (static_cast<size_t>(k) > values.size()) return -INFINITY;
  std::nth_element(values.begin(), values.begin() + (k - 1), values.end(), std::greater<>());
  return values[static_cast<size_t>(k - 1)];
}

}  // namespace

std::vector<int64_t> largest_k(std::span<const float> scores, int64_t k) {
  auto size = static_cast<int64_t>(scores.size());
  k = std::min(k, size);
  int64_t members = std::clamp<int64_t>(size / (2 * std::max<int64_t>(k, 1)), 1, 32);
  std::vector<float> maxima;
  group_maxima(scores, members, maxima);
  std::vector<float> copy = maxima;
  float bound = kth_largest(copy, k);

  std::vector<int64_t> candidates;
  std::vector<float> values;
  for (size_t group = 0; group < maxima.size(); ++group) {
    if (maxima[group] < bound || maxima[group] == -INFINITY) continue;
    auto chunk = static_cast<int64_t>(group) / kGroups;
    for (int64_t j = 0; j < members; ++j) {
      int64_t i = (chunk * members + j) * kGroups + static_cast<int64_t>(group) % kGroups;
      if (i >= size) break;
      float score = scores[static_cast<size_t>(i)];
      if (score < bound || score == -INFINITY) continue;
      candidates.push_back(i);
      values.push_back(score);
    }
  }
  if (static_cast<int64_t>(candidates.size()) <= k) return candidates;
  bound = kth_largest(values, k);
  std::vector<int64_t> equal;
  std::erase_if(candidates, [&](int64_t i) {
    if (scores[static_cast<size_t>(i)] == bound) equal.push_back(i);
    return scores[static_cast<size_t>(i)] <= bound;
  });
  std::sort(equal.begin(), equal.end());
  equal.resize(static_cast<size_t>(k) - candidates.size());
  candidates.insert(candidates.end(), equal.begin(), equal.end());
  return candidates;
}

}  // namespace bough
