// Roll-in: what is drawn follows the oracle, the policy and the mix of them.
#include "bough/train/rollin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "bough/model/kernels/dispatch.h"
#include "test_models.h"

namespace bough {
namespace {

std::vector<int64_t> everything(const Dataset& data) {
  std::vector<int64_t> indices(static_cast<size_t>(data.size()));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

/// The actions of each sentence of the dataset.
std::vector<std::vector<WordId>> actions_of(const Trajectory& trajectory) {
  std::vector<std::vector<WordId>> actions(static_cast<size_t>(trajectory.sentences()));
  for (int64_t row = 0; row < trajectory.rows(); ++row) {
    auto sentence = static_cast<size_t>(trajectory.sentence[static_cast<size_t>(row)]);
    auto source = static_cast<size_t>(trajectory.source[sentence]);
    actions[source].push_back(trajectory.action[static_cast<size_t>(row)]);
  }
  return actions;
}

/// The tree of each sentence of the dataset. A word's open sides are told to the step after it;
/// behind the last one there is nothing.
std::vector<Tree> trees_of(const Trajectory& trajectory, Shape shape) {
  std::vector<Tree> trees(static_cast<size_t>(trajectory.sentences()));
  for (int64_t s = 0; s < trajectory.sentences(); ++s) {
    Tree& tree = trees[static_cast<size_t>(trajectory.source[static_cast<size_t>(s)])];
    int64_t steps = trajectory.steps_of[static_cast<size_t>(s)];
    for (int64_t step = 0; step < steps; ++step) {
      auto row_of = [&](int64_t at) {
        return static_cast<size_t>(trajectory.offset_at[static_cast<size_t>(at)] + s);
      };
      WordId action = trajectory.action[row_of(step)];
      if (action == kEnd) {
        tree.add_end();
      } else if (shape == Shape::kArity) {
        tree.add_word(action,
                      step + 1 < steps ? trajectory.input[row_of(step + 1)].open : Sides::kNone);
      } else {
        tree.add_word(action);
      }
    }
  }
  return trees;
}

void expect_gold(const Trajectory& trajectory, const Dataset& data,
                 const std::vector<int64_t>& batch, Shape shape) {
  std::vector<Tree> trees = trees_of(trajectory, shape);
  for (size_t i = 0; i < batch.size(); ++i) {
    std::span<const WordId> gold = data.sentence(batch[i]);
    EXPECT_TRUE(trees[i].complete());
    EXPECT_EQ(trees[i].steps(), steps_of(shape, std::ssize(gold)));
    EXPECT_EQ(trees[i].sentence(), std::vector<WordId>(gold.begin(), gold.end()));
  }
}

PolicyOptions with_shape(Shape shape) {
  PolicyOptions options = small_options();
  options.shape = shape;
  return options;
}

TEST(RollIn, EveryOracleWalkReadsAsTheSentence) {
  for (Shape shape : {Shape::kEnd, Shape::kArity}) {
    LstmPolicy policy(request_for(with_shape(shape)));
    Dataset data = random_dataset(40, 1);
    std::vector<int64_t> batch = everything(data);
    for (const auto& [kind, name] : EnumNames<OracleKind>::kNames) {
      for (double beta : {1.0, 0.5, 0.0}) {
        for (CoachingRollIn how : {CoachingRollIn::kSample, CoachingRollIn::kGreedy}) {
          OracleOptions options;
          options.oracle = kind;
          options.coaching_rollin = how;
          RollInWalker walker(policy, options);
          expect_gold(walker.walk(data, {.batch = batch, .beta = beta}).trajectory, data, batch,
                      shape);
        }
      }
    }
  }
}

TEST(RollIn, ASentencesDrawsDoNotDependOnItsBatch) {
  LstmPolicy policy(request_for(small_options()));
  Dataset data = random_dataset(20, 1);
  OracleOptions options;
  for (RollIn rollin : {RollIn::kOracle, RollIn::kMixed, RollIn::kPolicy}) {
    options.rollin = rollin;
    RollInWalker walker(policy, options);
    std::vector<int64_t> batch = everything(data);
    auto together = actions_of(walker.walk(data, {.batch = batch, .beta = 0.5}).trajectory);
    for (int64_t i = 0; i < data.size(); ++i) {
      std::vector<int64_t> one = {i};
      EXPECT_EQ(actions_of(walker.walk(data, {.batch = one, .beta = 0.5}).trajectory)[0],
                together[static_cast<size_t>(i)]);
    }
  }
}

TEST(RollIn, APassIsNotTheNext) {
  LstmPolicy policy(request_for(small_options()));
  Dataset data = random_dataset(20, 1);
  std::vector<int64_t> batch = everything(data);
  RollInWalker walker(policy, {});
  auto first = walker.walk(data, {.batch = batch, .pass = 0}).trajectory;
  EXPECT_EQ(first.action, walker.walk(data, {.batch = batch, .pass = 0}).trajectory.action);
  EXPECT_NE(first.action, walker.walk(data, {.batch = batch, .pass = 1}).trajectory.action);
}

/// Root words of many walks of one sentence.
std::map<WordId, double> root_shares(const Policy& policy, const OracleOptions& options,
                                     double beta) {
  Dataset data;
  std::vector<WordId> sentence = {10, 11, 12};
  constexpr int64_t kWalks = 4000;
  for (int64_t i = 0; i < kWalks; ++i) data.add(sentence);
  std::vector<int64_t> batch = everything(data);
  RollInWalker walker(policy, options);
  Trajectory trajectory = walker.walk(data, {.batch = batch, .beta = beta}).trajectory;
  std::map<WordId, double> shares;
  for (int64_t row = 0; row < kWalks; ++row) {
    shares[trajectory.action[static_cast<size_t>(row)]] += 1.0 / kWalks;
  }
  return shares;
}

/// The words of the sentence, as the policy scores them at the root, with their sides.
std::vector<float> root_logits(const Policy& policy) {
  std::unique_ptr<Stepper> stepper = policy.stepper();
  stepper->start(no_sources(1));
  std::vector<WordId> words = {10, 11, 12};
  std::vector<float> logits(3);
  stepper->scores(0, words, logits);
  if (stepper->shape() == Shape::kEnd) return logits;
  std::vector<Sides> open = {Sides::kRight, Sides::kBoth, Sides::kLeft};
  for (size_t i = 0; i < words.size(); ++i) {
    SideScores sides = stepper->side_logits(0, words[i]);
    logits[i] += sides[index_of(open[i])] - log_sum_exp(sides);
  }
  return logits;
}

void expect_draws_by_beta_and_policy(Shape shape) {
  LstmPolicy policy(request_for(with_shape(shape)));
  std::vector<WordId> words = {10, 11, 12};
  std::vector<float> logits = root_logits(policy);
  double total = 0.0;
  for (float logit : logits) total += std::exp(logit);
  OracleOptions options;
  for (double beta : {1.0, 0.6, 0.0}) {
    auto shares = root_shares(policy, options, beta);
    for (size_t i = 0; i < words.size(); ++i) {
      double expected = beta / 3.0 + (1.0 - beta) * std::exp(logits[i]) / total;
      EXPECT_NEAR(shares[words[i]], expected, 0.03) << "β = " << beta;
    }
  }
  options.coaching_rollin = CoachingRollIn::kGreedy;
  auto greedy = root_shares(policy, options, 0.0);
  auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
  EXPECT_NEAR(greedy[words[static_cast<size_t>(best)]], 1.0, 1e-9);
}

TEST(RollIn, DrawsFollowBetaOfUniformAndTheRestOfThePolicy) {
  expect_draws_by_beta_and_policy(Shape::kEnd);
  expect_draws_by_beta_and_policy(Shape::kArity);
}

TEST(RollIn, ThePolicysOwnMistakesLoseNoWord) {
  for (bool end_head : {false, true}) {
    LstmPolicy policy(request_for(small_options(end_head)));
    Dataset data = random_dataset(60, 1);
    std::vector<int64_t> batch = everything(data);
    OracleOptions options;
    for (RollIn rollin : {RollIn::kMixed, RollIn::kPolicy}) {
      options.rollin = rollin;
      RollInWalker walker(policy, options);
      Trajectory trajectory = walker.walk(data, {.batch = batch, .beta = 0.5}).trajectory;
      auto actions = actions_of(trajectory);
      int64_t wrong = 0;
      for (int64_t row = 0; row < trajectory.rows(); ++row) {
        auto r = static_cast<size_t>(row);
        bool right = false;
        bool end_is_right = false;
        for (int64_t i = trajectory.valid_begin[r]; i < trajectory.valid_begin[r + 1]; ++i) {
          WordId valid = trajectory.valid_action[static_cast<size_t>(i)];
          right = right || valid == trajectory.action[r];
          end_is_right = end_is_right || valid == kEnd;
        }
        wrong += right ? 0 : 1;
        if (trajectory.action[r] == kEnd) {
          EXPECT_TRUE(end_is_right) << "<end> would lose words";
        }
        EXPECT_NE(trajectory.action[r], kStart);
        EXPECT_NE(trajectory.action[r], kPad);
      }
      EXPECT_GT(wrong, 0) << "a random policy must err";
      for (size_t i = 0; i < batch.size(); ++i) {
        EXPECT_TRUE(Tree::from_actions(actions[i], kEnd).complete());
      }
    }
  }
}

/// What a roll-in keeps is what a pass over its trajectory computes, gradients included.
TEST(RollIn, TheRecordedPassIsTheForwardPass) {
  if (std::string(kernel_name()) == "plain") GTEST_SKIP() << "the plain path records nothing";
  struct Heads {
    bool end_head = false;
    Shape shape = Shape::kEnd;
  };
  for (auto [end_head, shape] : {Heads{}, Heads{.end_head = true}, Heads{.shape = Shape::kArity}}) {
    for (double keep : {1.0, 0.6}) {
      PolicyOptions network = small_options(end_head);
      network.shape = shape;
      if (end_head) network.encoder = EncoderKind::kBilstm;
      LstmPolicy policy(request_for(network));
      Dataset data = random_dataset(14, 2);
      std::vector<int64_t> batch = everything(data);
      OracleOptions options;
      DropoutMasks masks{.keep = keep, .key = 77};
      RolledIn rolled = RollInWalker(policy, options)
                            .walk(data, {.batch = batch,
                                         .sources = end_head ? &data : nullptr,
                                         .beta = 0.3,
                                         .masks = masks});
      ASSERT_NE(rolled.recorder, nullptr);
      masks.sentences = rolled.names;
      std::vector<std::vector<torch::Tensor>> gradients;
      std::vector<PolicyOutput> outputs;
      for (bool recorded : {false, true}) {
        clear_gradients(policy);
        PolicyOutput output =
            recorded ? rolled.output(policy, masks) : policy.forward({rolled.trajectory, masks});
        torch::Tensor direction =
            torch::sin(torch::arange(output.features.numel())).reshape(output.features.sizes());
        torch::Tensor total = (output.features * direction).sum();
        if (end_head) total = total + output.end_logits.sum();
        if (shape == Shape::kArity) total = total + output.side_logprobs.sum();
        total.backward();
        outputs.push_back(output);
        gradients.emplace_back();
        for (auto& [name, tensor] : policy.parameters()) gradients.back().push_back(tensor.grad());
      }
      EXPECT_TRUE(torch::allclose(outputs[0].features, outputs[1].features, 1e-5, 1e-6));
      for (size_t i = 0; i < gradients[0].size(); ++i) {
        EXPECT_TRUE(torch::allclose(gradients[0][i], gradients[1][i], 1e-4, 1e-5));
      }
    }
  }
}

/// Dropout and draws belong to the sentence: the batch it stands in, and its place there, show in
/// nothing.
TEST(RollIn, ASentenceIsTheSameInAnyBatch) {
  for (PolicyKind kind : {PolicyKind::kLstm, PolicyKind::kTransformer}) {
    PolicyOptions network = small_options(true);
    network.policy = kind;
    network.hidden_size = 20;  // a multiple of the heads
    network.encoder = kind == PolicyKind::kLstm ? EncoderKind::kBilstm : EncoderKind::kTransformer;
    std::unique_ptr<Policy> policy = make_policy(request_for(network));
    Dataset data = random_dataset(9, 3);
    OracleOptions options;
    DropoutMasks masks{.keep = 0.5, .key = 78};
    for (double beta : {1.0, 0.4}) {
      auto features_of = [&](const std::vector<int64_t>& batch, int64_t sentence) {
        RolledIn rolled =
            RollInWalker(*policy, options)
                .walk(data, {.batch = batch, .sources = &data, .beta = beta, .masks = masks});
        torch::Tensor features = rolled.output(*policy, masks).features;
        std::vector<int64_t> rows;
        for (size_t row = 0; row < rolled.trajectory.sentence.size(); ++row) {
          auto s = static_cast<size_t>(rolled.trajectory.sentence[row]);
          auto number = static_cast<size_t>(rolled.trajectory.source[s]);
          if (batch[number] == sentence) rows.push_back(static_cast<int64_t>(row));
        }
        return features.index_select(0, torch::tensor(rows)).detach();
      };
      for (int64_t sentence : {0, 4, 8}) {
        torch::Tensor alone = features_of({sentence}, sentence);
        torch::Tensor among = features_of(everything(data), sentence);
        ASSERT_EQ(alone.sizes(), among.sizes());
        EXPECT_TRUE(torch::allclose(alone, among, 1e-4, 1e-5)) << sentence << " " << beta;
      }
    }
  }
}

}  // namespace
}  // namespace bough
