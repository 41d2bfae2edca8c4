// What sentences count for in the loss, and the average of a policy's weights.
#include <gtest/gtest.h>

#include <algorithm>

#include "bough/train/loss.h"
#include "bough/train/rollin.h"
#include "bough/train/weight_average.h"
#include "test_models.h"

namespace bough {
namespace {

PolicyOptions options_of(Shape shape, bool end_head) {
  PolicyOptions options = small_options(end_head);
  options.slot_context = SlotContext::kNeighbours;
  options.shape = shape;
  return options;
}

/// From left to right one action is right, so the loss is what a tree costs; its gradient is its
/// difference.
TEST(SentenceWeights, SayWhatASentenceCountsFor) {
  for (const PolicyOptions& options :
       {options_of(Shape::kEnd, false), options_of(Shape::kEnd, true),
        options_of(Shape::kArity, false)}) {
    LstmPolicy policy(request_for(options, 0.5));
    Dataset data = random_dataset(4, 9);
    std::vector<int64_t> batch = {0, 1, 2, 3};
    OracleOptions left_right{.oracle = OracleKind::kLeftRight};
    RollInWalker walker(policy, left_right);
    RolledIn rolled = walker.walk(data, {.batch = batch});
    std::vector<double> counts(4, 1.0);
    counts[1] = 3.0;
    counts[2] = 0.5;
    auto loss = [&] {
      return compute_loss(rolled.trajectory, policy.forward(rolled.trajectory), policy.output(),
                          {.gradient = false, .sentence_weights = counts});
    };
    clear_gradients(policy);
    PolicyOutput output = policy.forward(rolled.trajectory);
    LossResult result =
        compute_loss(rolled.trajectory, output, policy.output(), {.sentence_weights = counts});
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
