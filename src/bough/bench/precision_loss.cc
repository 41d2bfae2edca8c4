#include "bough/bench/precision_loss.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bough/model/kernels/kernels.h"

namespace bough {

namespace {

struct Replayed {
  std::vector<std::vector<double>> logprobs;  // by tree and step
  std::vector<std::vector<WordId>> best;
};

/// Walks the trees, which have falling numbers of steps, side by side.
Replayed replay(const Policy& policy, std::span<const std::vector<WordId>> actions) {
  std::unique_ptr<Stepper> stepper = policy.stepper();
  auto vocabulary = static_cast<size_t>(stepper->vocabulary());
  Replayed result{.logprobs = std::vector<std::vector<double>>(actions.size()),
                  .best = std::vector<std::vector<WordId>>(actions.size())};
  std::vector<float> logits;
  size_t rows = actions.size();
  for (size_t step = 0; rows > 0; ++step) {
    if (step == 0) {
      stepper->start(static_cast<int64_t>(rows));
    } else {
      std::vector<int64_t> kept(rows);
      std::iota(kept.begin(), kept.end(), 0);
      stepper->keep(kept);
      std::vector<WordId> taken;
      for (size_t row = 0; row < rows; ++row) taken.push_back(actions[row][step - 1]);
      stepper->advance(taken);
    }
    logits.resize(rows * vocabulary);
    stepper->all_scores(logits);
    for (size_t row = 0; row < rows; ++row) {
      std::span<const float> own(logits.data() + row * vocabulary, vocabulary);
      auto action = static_cast<size_t>(actions[row][step]);
      result.logprobs[row].push_back(own[action] - distribution_of(own).log_sum);
      result.best[row].push_back(
          static_cast<WordId>(std::max_element(own.begin(), own.end()) - own.begin()));
    }
    while (rows > 0 && actions[rows - 1].size() <= step + 1) --rows;
  }
  return result;
}

}  // namespace

PrecisionLoss compare_precision(Policy& policy, std::span<const Tree> trees) {
  torch::NoGradGuard no_gradients;
  std::vector<std::vector<WordId>> actions;
  for (const Tree& tree : trees) actions.push_back(tree.actions(kEnd));
  std::stable_sort(actions.begin(), actions.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  policy.set_precision(Precision::kInt8);
  Replayed int8 = replay(policy, actions);
  policy.set_precision(Precision::kFloat);
  Replayed plain = replay(policy, actions);

  PrecisionLoss loss;
  double steps = 0.0;
  for (size_t i = 0; i < actions.size(); ++i) {
    double sentence = 0.0;
    for (size_t step = 0; step < actions[i].size(); ++step) {
      double difference = int8.logprobs[i][step] - plain.logprobs[i][step];
      sentence += difference;
      loss.per_step += std::abs(difference);
      loss.same_best += int8.best[i][step] == plain.best[i][step] ? 1.0 : 0.0;
      steps += 1.0;
    }
    loss.per_sentence += std::abs(sentence) / static_cast<double>(actions.size());
    loss.bias += sentence / static_cast<double>(actions.size());
  }
  loss.per_step /= steps;
  loss.same_best /= steps;
  return loss;
}

}  // namespace bough
