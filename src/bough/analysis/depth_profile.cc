#include "bough/analysis/depth_profile.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bough {

std::vector<DepthMean> entropy_by_depth(std::span<const Trace> traces) {
  std::vector<DepthMean> profile;
  for (const Trace& trace : traces) {
    if (trace.vocabulary < 2) continue;
    double most = std::log(static_cast<double>(trace.vocabulary));
    for (size_t step = 0; step < trace.scores.size(); ++step) {
      double entropy = trace.scores[step].entropy;
      if (!std::isfinite(entropy)) continue;
      auto depth = static_cast<size_t>(trace.tree.slot(static_cast<int>(step)).depth);
      if (profile.size() <= depth) profile.resize(depth + 1);
      profile[depth].mean += entropy / most;  // the sum, for now
      ++profile[depth].count;
    }
  }
  for (DepthMean& mean : profile) {
    if (mean.count > 0) mean.mean /= static_cast<double>(mean.count);
  }
  return profile;
}

void TagsByDepth::add(int depth, size_t tag) {
  auto index = static_cast<size_t>(depth);
  if (counts_.size() <= index) counts_.resize(index + 1, std::vector<int64_t>(names_.size()));
  ++counts_[index][tag];
}

int64_t TagsByDepth::count(int depth) const {
  const std::vector<int64_t>& row = counts_[static_cast<size_t>(depth)];
  return std::accumulate(row.begin(), row.end(), int64_t{0});
}

int64_t TagsByDepth::count_of_tag(size_t tag) const {
  int64_t sum = 0;
  for (const std::vector<int64_t>& row : counts_) sum += row[tag];
  return sum;
}

int64_t TagsByDepth::total() const {
  int64_t sum = 0;
  for (int depth = 0; depth < depths(); ++depth) sum += count(depth);
  return sum;
}

double TagsByDepth::deviation(int depth, size_t tag) const {
  if (depth >= depths() || count(depth) == 0) return NAN;
  double here = static_cast<double>(counts_[static_cast<size_t>(depth)][tag]) /
                static_cast<double>(count(depth));
  return here - static_cast<double>(count_of_tag(tag)) / static_cast<double>(total());
}

std::vector<size_t> TagsByDepth::frequent(size_t count) const {
  std::vector<size_t> tags(names_.size());
  std::iota(tags.begin(), tags.end(), 0);
  std::ranges::stable_sort(tags, std::greater{}, [&](size_t tag) { return count_of_tag(tag); });
  tags.resize(std::min(tags.size(), count));
  return tags;
}

}  // namespace bough
