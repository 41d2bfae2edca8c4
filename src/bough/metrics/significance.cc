#include "bough/metrics/significance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bough/base/parallel.h"
#include "bough/metrics/numpy_random.h"

namespace bough {

namespace {

/// Draws, one after the other, are made by one thread and used by all: so many of them at a time.
constexpr int64_t kBatch = 32;

/// For each of `count` trials, calls draw(choices) in order, then score(choices, trial) on any
/// thread.
template <typename Choice, typename Draw, typename Score>
void run_trials(int64_t count, size_t lines, size_t threads, Draw draw, Score score) {
  std::vector<std::vector<Choice>> batch(static_cast<size_t>(std::min(count, kBatch)));
  for (auto& choices : batch) choices.resize(lines);
  for (int64_t done = 0; done < count; done += kBatch) {
    auto size = static_cast<size_t>(std::min(kBatch, count - done));
    for (size_t i = 0; i < size; ++i) draw(batch[i]);
    parallel_for(size, threads, 1,
                 [&](size_t i) { score(batch[i], static_cast<size_t>(done) + i); });
  }
}

void add(std::span<double> sums, std::span<const double> row) {
  for (size_t i = 0; i < sums.size(); ++i) sums[i] += row[i];
}

/// One is added to both counts, so that the test never rejects more often than its level says.
double p_value(int64_t more_extreme, size_t trials) {
  return static_cast<double>(more_extreme + 1) / static_cast<double>(trials + 1);
}

}  // namespace

std::vector<double> bootstrap_scores(const Metric& metric, const Rows& rows, int64_t resamples,
                                     uint64_t seed, size_t threads) {
  NumpyRandom random(seed);
  auto lines = static_cast<uint32_t>(rows.lines());
  auto draw = [&](std::vector<uint32_t>& chosen) {
    for (uint32_t& line : chosen) line = random.below(lines);
  };
  std::vector<double> scores(static_cast<size_t>(resamples));
  run_trials<uint32_t>(resamples, lines, threads, draw,
                       [&](const std::vector<uint32_t>& chosen, size_t trial) {
                         std::vector<double> sums(rows.size());
                         for (uint32_t line : chosen) add(sums, rows.of(line));
                         scores[trial] = metric.score(sums);
                       });
  return scores;
}

Interval confidence_interval(std::vector<double> scores) {
  if (scores.empty()) return {};
  std::sort(scores.begin(), scores.end());
  size_t outside = scores.size() / 40;  // on each side
  double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
  return {.mean = sum / static_cast<double>(scores.size()),
          .half_width = (scores[scores.size() - outside - 1] - scores[outside]) / 2};
}

double bootstrap_p_value(std::span<const double> baseline, std::span<const double> system,
                         double true_difference) {
  std::vector<double> differences(baseline.size());
  for (size_t i = 0; i < baseline.size(); ++i) differences[i] = std::abs(system[i] - baseline[i]);
  bool never_differ = std::all_of(differences.begin(), differences.end(),
                                  [](double difference) { return difference == 0; });
  if (never_differ && true_difference == 0) return 1;
  double sum = std::accumulate(differences.begin(), differences.end(), 0.0);
  double mean = sum / static_cast<double>(differences.size());
  auto more = std::count_if(differences.begin(), differences.end(), [&](double difference) {
    return difference - mean > std::abs(true_difference);
  });
  return p_value(more, differences.size());
}

double randomisation_p_value(const Metric& metric, const Rows& baseline, const Rows& system,
                             int64_t trials, uint64_t seed, size_t threads) {
  if (baseline == system) return 1;
  NumpyRandom random(seed);
  auto draw = [&](std::vector<char>& kept) {
    for (char& keep : kept) keep = static_cast<char>(random.coin());
  };
  double true_difference = std::abs(metric.score(baseline.sum()) - metric.score(system.sum()));
  std::vector<char> more_extreme(static_cast<size_t>(trials));
  run_trials<char>(trials, baseline.lines(), threads, draw,
                   [&](const std::vector<char>& kept, size_t trial) {
                     std::vector<double> first(baseline.size());
                     std::vector<double> second(baseline.size());
                     for (size_t line = 0; line < kept.size(); ++line) {
                       bool keep = kept[line] != 0;
                       add(first, keep ? baseline.of(line) : system.of(line));
                       add(second, keep ? system.of(line) : baseline.of(line));
                     }
                     double difference = std::abs(metric.score(first) - metric.score(second));
                     more_extreme[trial] = static_cast<char>(difference > true_difference);
                   });
  return p_value(std::count(more_extreme.begin(), more_extreme.end(), 1), more_extreme.size());
}

}  // namespace bough
