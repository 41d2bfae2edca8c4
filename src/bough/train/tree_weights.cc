#include "bough/train/tree_weights.h"

#include <cmath>

#include "bough/generate/weighted_draws.h"

namespace bough {

std::vector<double> tree_weights(const Trajectory& trajectory,
                                 const std::vector<double>& right_nats, int64_t trees) {
  std::vector<double> log_weights;
  for (double nats : right_nats) log_weights.push_back(-nats);
  for (int64_t row = 0; row < trajectory.rows(); ++row) {
    int64_t taken = trajectory.taken[static_cast<size_t>(row)];
    log_weights[static_cast<size_t>(trajectory.sentence[static_cast<size_t>(row)])] +=
        std::log(static_cast<double>(trajectory.valid_count[static_cast<size_t>(taken)]));
  }
  // Sentences of a trajectory are sorted by length: trees of one are found by its number.
  auto sentence_of = [&](size_t s) { return static_cast<size_t>(trajectory.source[s] / trees); };
  std::vector<std::vector<double>> of_sentence(log_weights.size() / static_cast<size_t>(trees));
  for (size_t s = 0; s < log_weights.size(); ++s) {
    of_sentence[sentence_of(s)].push_back(log_weights[s]);
  }
  std::vector<double> weights;
  for (size_t s = 0; s < log_weights.size(); ++s) {
    double share = std::exp(log_weights[s] - log_sum_of(of_sentence[sentence_of(s)]));
    weights.push_back(share * static_cast<double>(trees));
  }
  return weights;
}

}  // namespace bough
