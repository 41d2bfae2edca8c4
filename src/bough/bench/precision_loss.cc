#include "bough/bench/precision_loss.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bough/model/action_distribution.h"

namespace bough {

namespace {

struct Replayed {
  std::vector<std::vector<double>> logprobs;  // by tree and step
  std::vector<std::vector<WordId>> best;
};

/// Walks the trees, which have falling numbers of steps, side by side.
Replayed replay(const Policy& policy, Precision precision, std::span<const Tree> trees) {
  std::vector<std::vector<WordId>> sentences;
  for (const Tree& tree : trees) sentences.push_back(tree.sentence());
  std::unique_ptr<Stepper> stepper = policy.stepper({.precision = precision});
  auto vocabulary = static_cast<size_t>(stepper->vocabulary());
  Replayed result{.logprobs = std::vector<std::vector<double>>(trees.size()),
                  .best = std::vector<std::vector<WordId>>(trees.size())};
  std::vector<float> logits;
  size_t rows = trees.size();
  for (size_t step = 0; rows > 0; ++step) {
    if (step == 0) {
      stepper->start(std::vector<SourceIds>(sentences.begin(), sentences.end()));
    } else {
      std::vector<int64_t> kept(rows);
      std::iota(kept.begin(), kept.end(), 0);
      stepper->keep(kept);
      std::vector<StepInput> inputs;
      for (size_t row = 0; row < rows; ++row) {
        inputs.push_back(step_input(trees[row], static_cast<int>(step)));
      }
      stepper->advance(inputs);
    }
    logits.resize(rows * vocabulary);
    stepper->all_scores(logits);
    for (size_t row = 0; row < rows; ++row) {
      std::span<float> own(logits.data() + row * vocabulary, vocabulary);
      ActionDistribution slot(own, *stepper, static_cast<int64_t>(row));
      result.logprobs[row].push_back(slot.logprob(trees[row].action(static_cast<int>(step))));
      result.best[row].push_back(static_cast<WordId>(largest_index(own)));
    }
    while (rows > 0 && trees[rows - 1].steps() <= static_cast<int>(step) + 1) --rows;
  }
  return result;
}

}  // namespace

PrecisionLoss compare_precision(const Policy& policy, std::span<const Tree> trees) {
  torch::NoGradGuard no_gradients;
  std::vector<Tree> sorted(trees.begin(), trees.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Tree& a, const Tree& b) { return a.steps() > b.steps(); });
  Replayed int8 = replay(policy, Precision::kInt8, sorted);
  Replayed plain = replay(policy, Precision::kFloat, sorted);

  PrecisionLoss loss;
  double steps = 0.0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    double sentence = 0.0;
    for (size_t step = 0; step < plain.logprobs[i].size(); ++step) {
      double difference = int8.logprobs[i][step] - plain.logprobs[i][step];
      sentence += difference;
      loss.per_step += std::abs(difference);
      loss.same_best += int8.best[i][step] == plain.best[i][step] ? 1.0 : 0.0;
      steps += 1.0;
    }
    loss.per_sentence += std::abs(sentence) / static_cast<double>(sorted.size());
    loss.bias += sentence / static_cast<double>(sorted.size());
  }
  loss.per_step /= steps;
  loss.same_best /= steps;
  return loss;
}

}  // namespace bough
