// Trees of a sentence are followed as far as they make the whole of it likely.
#include "bough/train/tree_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "bough/generate/likelihood.h"
#include "bough/train/adam.h"
#include "bough/train/loss.h"
#include "bough/train/update.h"
#include "bough/train/weight_average.h"
#include "test_models.h"

namespace bough {
namespace {

constexpr int64_t kTrees = 3;

std::vector<int64_t> everything(const Dataset& data) {
  std::vector<int64_t> indices(static_cast<size_t>(data.size()));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

PolicyOptions options_of(Shape shape, bool end_head) {
  PolicyOptions options = small_options(end_head);
  options.slot_context = SlotContext::kNeighbours;
  options.shape = shape;
  return options;
}

/// Each kind of head.
const std::vector<PolicyOptions> kPolicies = {options_of(Shape::kEnd, false),
                                              options_of(Shape::kEnd, true),
                                              options_of(Shape::kArity, false)};

TEST(TreeWeights, AreScaledToOneForEachSentence) {
  for (const PolicyOptions& options : kPolicies) {
    LstmPolicy policy(request_for(options));
    Dataset data = random_dataset(9, 1);
    std::vector<int64_t> batch = everything(data);
    RollInWalker walker(policy, {});
    RolledIn rolled = walker.walk(data, {.batch = batch, .beta = 0.0, .trees = kTrees});
    const Trajectory& trajectory = rolled.trajectory;
    ASSERT_EQ(trajectory.sentences(), kTrees * data.size());
    LossResult right = compute_loss(trajectory, rolled.output(policy, {}), policy.output(),
                                    {.beta = 0.0, .gradient = false});
    std::vector<double> weights = tree_weights(trajectory, right.nats, kTrees);
    std::map<int64_t, double> sums;
    for (size_t s = 0; s < weights.size(); ++s) {
      EXPECT_EQ(trajectory.steps_of[s],
                steps_of(options.shape, data.length(trajectory.source[s] / kTrees)));
      sums[trajectory.source[s] / kTrees] += weights[s];
    }
    ASSERT_EQ(sums.size(), static_cast<size_t>(data.size()));
    for (const auto& [sentence, sum] : sums) EXPECT_NEAR(sum, kTrees, 1e-9);
  }
}

/// The mean weight of many trees is the sentence's probability, equal words and all.
TEST(TreeWeights, HaveTheSentencesProbabilityAsTheirMean) {
  for (const PolicyOptions& options : kPolicies) {
    LstmPolicy policy(request_for(options, 0.5));
    const std::vector<WordId> sentence = {7, 8, 7, 9};
    Dataset data;
    data.add(sentence);
    constexpr int64_t kMany = 4000;
    RollInWalker walker(policy, {});
    std::vector<int64_t> batch = {0};
    RolledIn rolled = walker.walk(data, {.batch = batch, .beta = 0.0, .trees = kMany});
    torch::NoGradGuard no_gradients;
    LossResult right = compute_loss(rolled.trajectory, rolled.output(policy, {}), policy.output(),
                                    {.beta = 0.0, .gradient = false});
    double exact = 0.0;
    std::vector<SentenceToScore> sentences = {{.words = sentence}};
    LikelihoodScorer({.exact = true}, OracleKind::kAnnealed)
        .score(*policy.stepper(), {.sentences = sentences},
               [&](Likelihood&& one) { exact = one.logprob; });
    // Relative weights w = W / mean W: the mean of W is any W over its w.
    std::vector<double> weights = tree_weights(rolled.trajectory, right.nats, kMany);
    double counts = 0.0;
    const Trajectory& trajectory = rolled.trajectory;
    for (int64_t row = 0; row < trajectory.rows(); ++row) {
      if (trajectory.sentence[static_cast<size_t>(row)] != 0) continue;
      int64_t taken = trajectory.taken[static_cast<size_t>(row)];
      counts += std::log(trajectory.valid_count[static_cast<size_t>(taken)]);
    }
    double mean = -right.nats[0] + counts - std::log(weights[0]);
    EXPECT_NEAR(mean, exact, 0.1);
  }
}

/// What was taken is the target: the loss is −log π of the tree, and its gradient its difference.
TEST(TreeWeights, OfOneTreeLearnThatTree) {
  for (const PolicyOptions& options : kPolicies) {
    LstmPolicy policy(request_for(options, 0.5));
    Dataset data = random_dataset(4, 9);
    std::vector<int64_t> batch = everything(data);
    RollInWalker walker(policy, {});
    RolledIn rolled = walker.walk(data, {.batch = batch, .beta = 0.0});
    std::vector<double> counts(4, 1.0);
    counts[1] = 3.0;
    counts[2] = 0.5;
    auto loss = [&] {
      return compute_loss(rolled.trajectory, policy.forward(rolled.trajectory), policy.output(),
                          {.gradient = false, .taken = true, .sentence_weights = counts});
    };
    clear_gradients(policy);
    PolicyOutput output = policy.forward(rolled.trajectory);
    LossResult result = compute_loss(rolled.trajectory, output, policy.output(),
                                     {.taken = true, .sentence_weights = counts});
    backward(output, result);
    double expected = 0.0;
    for (size_t s = 0; s < counts.size(); ++s) {
      EXPECT_GT(result.nats[s], 0.0);
      if (options.end_head) continue;  // the two means have different numbers of steps
      expected +=
          counts[s] * result.nats[s] / static_cast<double>(4 * rolled.trajectory.steps_of[s]);
    }
    if (!options.end_head) {
      EXPECT_NEAR(result.mean.loss, expected, 1e-6);
    }
    torch::Tensor bias = policy.output().bias;
    for (WordId word : {data.sentence(0)[0], data.sentence(1)[0]}) {
      auto at = static_cast<size_t>(word);
      torch::NoGradGuard no_gradients;
      double slope = bias.grad()[word].item<double>();
      constexpr float kStep = 1e-2F;
      auto numbers = [&] { return const_cast<float*>(bias.data_ptr<float>()); };
      numbers()[at] += kStep;
      double above = loss().mean.loss;
      numbers()[at] -= 2 * kStep;
      double below = loss().mean.loss;
      numbers()[at] += kStep;
      EXPECT_NEAR((above - below) / (2.0 * kStep), slope, 1e-3);
    }
  }
}

TEST(TreeWeights, AnUpdateWithSeveralTreesMakesSentencesLikelier) {
  LstmPolicy policy(request_for(kPolicies[2], 0.5));
  Dataset data = random_dataset(16, 3, kSpecials + 5);
  std::vector<int64_t> batch = everything(data);
  RollInWalker walker(policy, {});
  Adam adam(policy.parameters());
  double first = 0.0;
  double last = 0.0;
  for (uint64_t pass = 0; pass < 30; ++pass) {
    UpdateResult result =
        update_policy(policy, walker, adam, data,
                      {.rollin = {.batch = batch, .beta = 0.0, .pass = pass, .trees = kTrees},
                       .loss_beta = 0.0,
                       .learning_rate = 1e-2});
    (pass == 0 ? first : last) = result.loss.loss;
  }
  EXPECT_LT(last, 0.8 * first);
}

TEST(WeightAverage, LagsBehindAndIsGivenBack) {
  LstmPolicy policy(request_for(small_options()));
  torch::NoGradGuard no_gradients;
  torch::Tensor bias = policy.output().bias;
  bias.zero_();
  WeightAverage average(policy.parameters(), 0.9);
  double expected = 0.0;
  for (int64_t update = 1; update <= 200; ++update) {
    bias.fill_(static_cast<double>(update));
    average.add(update);
    double decay =
        std::min(0.9, (1.0 + static_cast<double>(update)) / (10.0 + static_cast<double>(update)));
    expected = decay * expected + (1.0 - decay) * static_cast<double>(update);
  }
  EXPECT_NEAR(expected, 191.0, 0.1);
  {
    WeightAverage::InUse in_use(&average);
    EXPECT_NEAR(bias[7].item<double>(), expected, 1e-2);
  }
  EXPECT_EQ(bias[7].item<double>(), 200.0);
}

}  // namespace
}  // namespace bough
