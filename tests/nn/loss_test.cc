// The fused loss against finite differences and against plain LibTorch.
#include "bough/train/loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bough/model/layers/functions.h"
#include "test_models.h"

namespace bough {
namespace {

using torch::Tensor;

/// The loss by its definition, with LibTorch's operators and a |V|-wide target.
Tensor plain_loss(const Trajectory& trajectory, const PolicyOutput& output,
                  const OutputLayer& layer, double beta) {
  Tensor logits = torch::addmm(layer.bias, output.features, layer.weight.t());
  Tensor log_policy = torch::log_softmax(logits, 1);
  bool end_head = output.end_logits.defined();
  Tensor total = torch::zeros({});
  for (int64_t s = 0; s < trajectory.sentences(); ++s) {
    Tensor words = torch::zeros({});
    Tensor ends = torch::zeros({});
    int64_t word_steps = 0;
    int64_t steps = 0;
    for (int64_t row = 0; row < trajectory.rows(); ++row) {
      auto r = static_cast<size_t>(row);
      if (trajectory.sentence[r] != s) continue;
      ++steps;
      bool is_end = trajectory.action[r] == kEnd;
      if (end_head) {
        ends = ends + torch::binary_cross_entropy_with_logits(output.end_logits[row],
                                                              torch::full({}, is_end ? 1.0 : 0.0));
        if (is_end) continue;
      }
      ++word_steps;
      // All pairs of a word and its sides; without a sides head all are of one kind.
      Tensor log_all = log_policy[row].unsqueeze(1).repeat({1, 4});
      Tensor oracle = torch::zeros_like(log_all).detach();
      Tensor mask = torch::zeros_like(oracle);
      for (int64_t i = trajectory.valid_begin[r]; i < trajectory.valid_begin[r + 1]; ++i) {
        int64_t action = trajectory.valid_action[static_cast<size_t>(i)];
        auto open = static_cast<int64_t>(trajectory.valid_open[static_cast<size_t>(i)]);
        oracle[action][open] = trajectory.valid_weight[static_cast<size_t>(i)];
        mask[action][open] = 1.0;
        if (!output.side_logprobs.defined()) continue;
        Tensor here = torch::zeros_like(oracle);
        here[action][open] = 1.0;
        log_all = log_all + here * output.side_logprobs[i];
      }
      Tensor coaching = log_all.exp() * mask;
      Tensor target = (beta * oracle + (1.0 - beta) * coaching / coaching.sum()).detach();
      words = words + torch::xlogy(target, target).sum() - (target * log_all).sum();
    }
    total = total + words / static_cast<double>(word_steps);
    if (end_head) total = total + ends / static_cast<double>(steps);
  }
  return total / static_cast<double>(trajectory.sentences());
}

TEST(Loss, ValueAndGradientsAreLibTorchs) {
  for (const auto& [end_head, shape] : {std::pair{false, Shape::kEnd}, std::pair{true, Shape::kEnd},
                                        std::pair{false, Shape::kArity}}) {
    for (OutputKind kind : {OutputKind::kTied, OutputKind::kUntied}) {
      for (double beta : {1.0, 0.4, 0.0}) {
        PolicyOptions options = small_options(end_head, kind);
        options.shape = shape;
        LstmPolicy policy(request_for(options, 0.5));
        Dataset data = random_dataset(7, 11);
        auto oracle = make_oracle({});
        Trajectory trajectory = random_trajectory(data, *oracle, 12, shape);
        clear_gradients(policy);
        PolicyOutput output = policy.forward(trajectory);
        LossResult loss = compute_loss(trajectory, output, policy.output(), {.beta = beta});
        backward(output, loss);
        std::vector<Tensor> own;
        for (auto& [name, tensor] : policy.parameters()) own.push_back(tensor.grad().clone());

        clear_gradients(policy);
        Tensor plain = plain_loss(trajectory, policy.forward(trajectory), policy.output(), beta);
        plain.backward();
        EXPECT_NEAR(loss.mean.loss, plain.item<double>(), 1e-5);
        size_t i = 0;
        for (auto& [name, tensor] : policy.parameters()) {
          EXPECT_TRUE(torch::allclose(own[i], tensor.grad(), 1e-4, 1e-6)) << name;
          ++i;
        }
        LossResult value_only =
            compute_loss(trajectory, output, policy.output(), {.beta = beta, .gradient = false});
        EXPECT_NEAR(value_only.mean.loss, loss.mean.loss, 1e-6);
      }
    }
  }
}

/// At β = 1 the target is constant, so the loss's own differences are its gradient.
TEST(Loss, GradientsAreItsFiniteDifferences) {
  LstmPolicy policy(request_for(small_options(true), 0.5));
  Dataset data = random_dataset(5, 21);
  auto oracle = make_oracle({});
  Trajectory trajectory = random_trajectory(data, *oracle, 22);
  clear_gradients(policy);
  PolicyOutput output = policy.forward(trajectory);
  backward(output, compute_loss(trajectory, output, policy.output(), {.beta = 1.0}));
  auto value = [&] {
    torch::NoGradGuard no_gradients;
    return compute_loss(trajectory, policy.forward(trajectory), policy.output(),
                        {.beta = 1.0, .gradient = false})
        .mean.loss;
  };
  RandomStream random(1, Purpose::kTest);
  for (auto& [name, tensor] : policy.parameters()) {
    for (int probe = 0; probe < 6; ++probe) {
      size_t at = random.below(numbers_of(tensor).size());
      float kept = numbers_of(tensor)[at];
      constexpr float kStep = 4e-3F;
      change_numbers(tensor)[at] = kept + kStep;
      double above = value();
      change_numbers(tensor)[at] = kept - kStep;
      double below = value();
      change_numbers(tensor)[at] = kept;
      double slope = (above - below) / (2.0 * kStep);
      EXPECT_NEAR(numbers_of(tensor.grad())[at], slope, 2e-3 * std::max(1.0, std::abs(slope)))
          << name << "[" << at << "]";
    }
  }
}

/// β = 0: the loss is −log of the mass on the right answers.
TEST(Loss, CoachingLossIsTheMassOnRightAnswers) {
  LstmPolicy policy(request_for(small_options(), 0.5));
  Dataset data = random_dataset(1, 31);
  auto oracle = make_oracle({});
  Trajectory trajectory = random_trajectory(data, *oracle, 32);
  PolicyOutput output = policy.forward(trajectory);
  Tensor policy_probabilities = torch::softmax(
      torch::addmm(policy.output().bias, output.features, policy.output().weight.t()), 1);
  double expected = 0.0;
  for (int64_t row = 0; row < trajectory.rows(); ++row) {
    double mass = 0.0;
    for (int64_t i = trajectory.valid_begin[static_cast<size_t>(row)];
         i < trajectory.valid_begin[static_cast<size_t>(row) + 1]; ++i) {
      mass +=
          policy_probabilities[row][trajectory.valid_action[static_cast<size_t>(i)]].item<double>();
    }
    expected -= std::log(mass) / static_cast<double>(trajectory.rows());
  }
  EXPECT_NEAR(
      compute_loss(trajectory, output, policy.output(), {.beta = 0.0, .gradient = false}).mean.loss,
      expected, 1e-5);
}

/// A step at which n words are due counts n^w times in the head's loss, in value and gradient.
TEST(Loss, AnEndThatLosesWordsCountsMore) {
  LstmPolicy policy(request_for(small_options(true), 0.5));
  Dataset data = random_dataset(6, 51);
  auto oracle = make_oracle({});
  Trajectory trajectory = random_trajectory(data, *oracle, 52);
  PolicyOutput output = policy.forward(trajectory);
  clear_gradients(policy);
  LossResult once = compute_loss(trajectory, output, policy.output(), {});
  for (double power : {0.5, 1.0, 2.0}) {
    LossResult more = compute_loss(trajectory, output, policy.output(), {.end_weight = power});
    EXPECT_DOUBLE_EQ(more.mean.word_loss, once.mean.word_loss);
    double added = 0.0;
    for (size_t row = 0; row < trajectory.due.size(); ++row) {
      double factor = trajectory.due[row] > 0 ? std::pow(trajectory.due[row], power) : 1.0;
      auto at = static_cast<int64_t>(row);
      EXPECT_NEAR(more.d_end_logits[at].item<double>(),
                  factor * once.d_end_logits[at].item<double>(), 1e-6);
      auto sentence = static_cast<size_t>(trajectory.sentence[row]);
      double weight =
          1.0 / static_cast<double>(trajectory.steps_of[sentence] * trajectory.sentences());
      double logit = output.end_logits[at].item<double>();
      if (trajectory.due[row] > 0) {
        added += weight * (factor - 1.0) * std::log1p(std::exp(logit));
      }
    }
    EXPECT_NEAR(more.mean.loss, once.mean.loss + added, 1e-5);
    EXPECT_DOUBLE_EQ(more.mean.nats, once.mean.nats) << "a sentence costs what it costs";
    EXPECT_GT(added, 0.0);
  }
}

/// What the words cost and what their sides cost, by step; at β = 0 one answer's costs are its own.
TEST(Loss, WithSidesASentenceCostsBothAtEachStep) {
  PolicyOptions options = small_options();
  options.shape = Shape::kArity;
  LstmPolicy policy(request_for(options, 0.5));
  auto oracle = make_oracle({.oracle = OracleKind::kLeftRight});
  Dataset data = random_dataset(1, 5);
  Trajectory trajectory = random_trajectory(data, *oracle, 7, Shape::kArity);
  PolicyOutput output = policy.forward(trajectory, {});
  LossParts parts = compute_loss(trajectory, output, policy.output(), {.gradient = false}).mean;
  auto steps = static_cast<double>(data.length(0));
  EXPECT_NEAR(parts.end_loss, -output.side_logprobs.mean().item<double>(), 1e-5);
  EXPECT_NEAR(parts.nats, steps * parts.loss, 1e-4);
  EXPECT_DOUBLE_EQ(parts.loss, parts.word_loss + parts.end_loss);
}

/// The two means have different numbers of steps: what a sentence costs is N times the one and
/// 2N + 1 times the other, and no multiple of their sum.
TEST(Loss, ASentenceCostsTheSumOfItsSteps) {
  auto oracle = make_oracle({});
  for (bool end_head : {false, true}) {
    LstmPolicy policy(request_for(small_options(end_head), 0.5));
    for (int64_t length : {1, 4, 9}) {
      Dataset one;
      std::vector<WordId> words;
      for (WordId word = 0; word < length; ++word) words.push_back(kSpecials + word);
      one.add(words);
      Trajectory trajectory = random_trajectory(one, *oracle, 7);
      PolicyOutput output = policy.forward(trajectory, {});
      auto cost = [&](const LossRequest& request) {
        return compute_loss(trajectory, output, policy.output(), request).mean;
      };
      auto steps = static_cast<double>(2 * length + 1);
      double word_steps = end_head ? static_cast<double>(length) : steps;
      LossParts plain = cost({.gradient = false});
      EXPECT_NEAR(plain.nats, word_steps * plain.word_loss + steps * plain.end_loss, 1e-9);
      EXPECT_DOUBLE_EQ(plain.loss, plain.word_loss + plain.end_loss);
      EXPECT_DOUBLE_EQ(cost({.smoothing = 0.1, .gradient = false}).nats, plain.nats)
          << "label smoothing is no part of it";
    }
  }
}

/// Long sentences and short ones: each counts once.
TEST(Loss, ABatchCostsTheMeanOfItsSentences) {
  OracleOptions options;
  options.oracle = OracleKind::kLeftRight;  // one tree a sentence
  auto oracle = make_oracle(options);
  LstmPolicy policy(request_for(small_options(true), 0.5));
  Dataset data = random_dataset(5, 61);
  auto nats = [&](const Dataset& part) {
    Trajectory trajectory = random_trajectory(part, *oracle, 62);
    return compute_loss(trajectory, policy.forward(trajectory, {}), policy.output(),
                        {.gradient = false})
        .mean.nats;
  };
  double apart = 0.0;
  for (int64_t i = 0; i < data.size(); ++i) {
    Dataset one;
    one.add(data.sentence(i));
    apart += nats(one) / static_cast<double>(data.size());
  }
  EXPECT_NEAR(nats(data), apart, 1e-5);
}

/// Where a learned roll-in took a word at a slot that should be closed, <end> is still the right
/// answer: the head learns that, and no word is learned there.
TEST(Loss, AWrongWordDoesNotMakeEndWrong) {
  std::vector<WordId> sentence = {7, 8};
  auto oracle = make_oracle({});
  RandomStream random(1, Purpose::kTest);
  std::vector<Walk> walks;
  Walk& walk = walks.emplace_back(sentence, *oracle, Duplicates::kUniform);
  walk.take_action(7, random);
  walk.take_action(9, random);  // nothing stands to the left of 7
  while (!walk.done()) walk.take(0, random);
  Trajectory trajectory = pack(walks);
  ASSERT_EQ(trajectory.due[1], 0);
  ASSERT_EQ(trajectory.action[1], 9);
  LstmPolicy policy(request_for(small_options(true), 0.5));
  clear_gradients(policy);
  PolicyOutput output = policy.forward(trajectory);
  LossResult loss = compute_loss(trajectory, output, policy.output(), {});
  EXPECT_LT(loss.d_end_logits[1].item<double>(), 0.0) << "the head should say <end> here";
  EXPECT_EQ(loss.d_features[1].abs().sum().item<double>(), 0.0);
  EXPECT_GT(loss.d_features[0].abs().sum().item<double>(), 0.0);
}

/// More rows than a block holds give what small blocks give.
TEST(Loss, BlocksDoNotShow) {
  constexpr int64_t kWide = 1000;
  PolicyOptions options = small_options();
  LstmPolicy policy({.options = options, .vocabulary = kWide, .seed = 3, .embedding_scale = 0.5});
  Dataset data = random_dataset(8, 41);
  auto oracle = make_oracle({});
  Trajectory trajectory = random_trajectory(data, *oracle, 42);
  ASSERT_GT(trajectory.rows(), 60);
  clear_gradients(policy);
  PolicyOutput output = policy.forward(trajectory);
  LossResult loss =
      compute_loss(trajectory, output, policy.output(), {.beta = 0.5, .block_numbers = 27 * kWide});
  backward(output, loss);
  Tensor own = policy.embedding().grad().clone();
  clear_gradients(policy);
  Tensor plain = plain_loss(trajectory, policy.forward(trajectory), policy.output(), 0.5);
  plain.backward();
  EXPECT_NEAR(loss.mean.loss, plain.item<double>(), 1e-5);
  EXPECT_TRUE(torch::allclose(own, policy.embedding().grad(), 1e-4, 1e-6));
}

}  // namespace
}  // namespace bough
