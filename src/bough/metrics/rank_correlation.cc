#include "bough/metrics/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace bough {

namespace {

/// Sorts, and counts the pairs that stood in descending order or were equal.
int64_t sort_counting_not_ascending(std::span<int> numbers, std::span<int> scratch) {
  if (numbers.size() < 2) return 0;
  size_t half = numbers.size() / 2;
  int64_t count = sort_counting_not_ascending(numbers.first(half), scratch.first(half)) +
                  sort_counting_not_ascending(numbers.subspan(half), scratch.subspan(half));
  size_t left = 0;
  size_t right = half;
  for (int& next : scratch) {
    bool take_right = left == half || (right < numbers.size() && numbers[right] <= numbers[left]);
    if (take_right) count += static_cast<int64_t>(half - left);
    next = numbers[take_right ? right++ : left++];
  }
  std::copy(scratch.begin(), scratch.end(), numbers.begin());
  return count;
}

/// Ranks from 0; equal numbers share the mean of theirs.
std::vector<double> ranks_of(std::span<const int> numbers) {
  std::vector<size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return numbers[a] < numbers[b]; });
  std::vector<double> ranks(numbers.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && numbers[order[end]] == numbers[order[begin]]) ++end;
    double mean_rank = static_cast<double>(begin + end - 1) / 2.0;
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = mean_rank;
  }
  return ranks;
}

}  // namespace

double normalized_kendall(std::span<const int> numbers) {
  std::vector<int> sorted(numbers.begin(), numbers.end());
  std::vector<int> scratch(numbers.size());
  auto size = static_cast<int64_t>(numbers.size());
  int64_t pairs = size * (size - 1) / 2;
  int64_t ascending = pairs - sort_counting_not_ascending(sorted, scratch);
  return static_cast<double>(ascending) / static_cast<double>(pairs);
}

double normalized_spearman(std::span<const int> numbers) {
  std::vector<double> ranks = ranks_of(numbers);
  double middle = static_cast<double>(numbers.size() - 1) / 2.0;
  double together = 0.0;
  double of_ranks = 0.0;
  double of_places = 0.0;
  for (size_t i = 0; i < ranks.size(); ++i) {
    double rank = ranks[i] - middle;
    double place = static_cast<double>(i) - middle;
    together += rank * place;
    of_ranks += rank * rank;
    of_places += place * place;
  }
  if (of_ranks == 0.0) return 0.5;
  return (together / std::sqrt(of_ranks * of_places) + 1.0) / 2.0;
}

}  // namespace bough
