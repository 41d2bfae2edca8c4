// Beam search: with a beam as wide as everything it finds the best sentence of all; a narrow one
// keeps every promise that sampling keeps.
#include "bough/generate/beam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "bough/model/kernels/rows.h"
#include "bough/model/layers/functions.h"
#include "test_models.h"

namespace bough {
namespace {

constexpr int64_t kWords = kSpecials + 2;  // two words

/// A stepper at a tree's front slot.
std::unique_ptr<Stepper> stepper_at(const Policy& policy, const Tree& tree) {
  std::unique_ptr<Stepper> stepper = policy.stepper();
  stepper->start(no_sources(1));
  for (int step = 1; step <= tree.steps(); ++step) {
    StepInput input = step_input(tree, step);
    stepper->advance({&input, 1});
  }
  return stepper;
}

/// Log-probabilities of all sentences of up to `most` words, summed over their trees.
std::map<std::vector<WordId>, double> enumerate(const LstmPolicy& policy, int most) {
  std::map<std::vector<WordId>, double> probabilities;
  std::function<void(std::vector<WordId>, double)> go = [&](std::vector<WordId> actions,
                                                            double logprob) {
    Tree tree = Tree::from_actions(actions, kEnd);
    if (tree.complete()) {
      probabilities[tree.sentence()] += std::exp(logprob);
      return;
    }
    std::unique_ptr<Stepper> stepper = stepper_at(policy, tree);
    std::vector<float> logits(kWords);
    stepper->all_scores(logits);
    bool may_end = !actions.empty();
    bool may_word = tree.word_count() < most;
    auto allowed = [&](WordId action) {
      return action == kEnd ? may_end : action >= kSpecials && may_word;
    };
    double log_sum = log_sum_exp(std::span(logits).subspan(kEnd));  // and the words
    for (WordId action = 0; action < kWords; ++action) {
      if (!allowed(action)) continue;
      std::vector<WordId> next = actions;
      next.push_back(action);
      go(next, logprob + logits[static_cast<size_t>(action)] - log_sum);
    }
  };
  go({}, 0.0);
  return probabilities;
}

/// The same where words come with their sides.
std::map<std::vector<WordId>, double> enumerate_with_sides(const LstmPolicy& policy, int most) {
  std::map<std::vector<WordId>, double> probabilities;
  std::function<void(const Tree&, double)> go = [&](const Tree& tree, double logprob) {
    if (tree.complete()) {
      probabilities[tree.sentence()] += std::exp(logprob);
      return;
    }
    std::unique_ptr<Stepper> stepper = stepper_at(policy, tree);
    std::vector<float> logits(kWords);
    stepper->all_scores(logits);
    std::span<const float> words = std::span(logits).subspan(kEnd);
    for (WordId word = kSpecials; word < kWords; ++word) {
      SideScores sides = stepper->side_logits(0, word);
      for (Sides open : kAllSides) {
        Tree next = tree;
        next.add_word(word, open);
        if (next.word_count() + next.open_slots() > most) continue;
        go(next, logprob + logits[static_cast<size_t>(word)] - log_sum_exp(words) +
                     sides[index_of(open)] - log_sum_exp(sides));
      }
    }
  };
  go(Tree(), 0.0);
  return probabilities;
}

TEST(Beam, AsWideAsEverythingFindsTheBestSentenceWithSides) {
  for (uint64_t seed : {1, 2, 3}) {
    PolicyOptions options = small_options();
    options.slot_context = SlotContext::kBoth;
    options.shape = Shape::kArity;
    LstmPolicy policy(
        {.options = options, .vocabulary = kWords, .seed = seed, .embedding_scale = 1.0});
    torch::NoGradGuard no_gradients;
    auto all = enumerate_with_sides(policy, 3);
    ASSERT_EQ(all.size(), 2U + 4U + 8U);
    BeamDecoder({}, {.max_length = 3}, {.size = 5000, .length_power = 0.0})
        .decode(*policy.stepper(), {.count = 1}, [&](std::vector<Candidate>&& found) {
          ASSERT_EQ(found.size(), all.size());
          for (const Candidate& candidate : found) {
            EXPECT_NEAR(std::exp(candidate.score), all.at(candidate.tree.tree.sentence()), 1e-5);
          }
        });
  }
}

TEST(Beam, AsWideAsEverythingFindsTheBestSentence) {
  for (uint64_t seed : {1, 2, 3}) {
    PolicyOptions options = small_options();
    options.slot_context = SlotContext::kBoth;
    LstmPolicy policy(
        {.options = options, .vocabulary = kWords, .seed = seed, .embedding_scale = 1.0});
    torch::NoGradGuard no_gradients;
    auto all = enumerate(policy, 3);
    SamplerOptions sampler;
    sampler.end_rule = EndRule::kArgmax;
    BeamDecoder beam(sampler, {.max_length = 3}, {.size = 5000, .length_power = 0.0});
    std::vector<Candidate> found;
    beam.decode(*policy.stepper(), {.count = 1},
                [&](std::vector<Candidate>&& candidates) { found = std::move(candidates); });
    ASSERT_EQ(found.size(), all.size());
    for (const Candidate& candidate : found) {
      EXPECT_NEAR(std::exp(candidate.score), all.at(candidate.tree.tree.sentence()), 1e-5);
    }
    for (size_t i = 1; i < found.size(); ++i) EXPECT_GE(found[i - 1].score, found[i].score);
  }
}

void expect_greedy_of_one(const LstmPolicy& policy, const SamplerOptions& sampler) {
  torch::NoGradGuard no_gradients;
  std::vector<WordId> greedy;
  Decoder(sampler, {.max_length = 12}).decode(*policy.stepper(), {.count = 1}, [&](auto&& tree) {
    greedy = tree.tree.sentence();
  });
  BeamDecoder(sampler, {.max_length = 12}, {.size = 1})
      .decode(*policy.stepper(), {.count = 1}, [&](std::vector<Candidate>&& found) {
        ASSERT_EQ(found.size(), 1U);
        EXPECT_EQ(found[0].tree.tree.sentence(), greedy);
      });
}

TEST(Beam, OfOneIsGreedyWithSides) {
  PolicyOptions options = small_options();
  options.shape = Shape::kArity;
  expect_greedy_of_one(LstmPolicy(request_for(options)), {.decode = Decode::kGreedy});
}

TEST(Beam, OfOneIsGreedy) {
  LstmPolicy policy(request_for(small_options()));
  change_numbers(policy.output().bias)[kEnd] = 1.0F;
  for (EndRule rule : {EndRule::kArgmax, EndRule::kThreshold}) {
    expect_greedy_of_one(policy,
                         {.decode = Decode::kGreedy, .end_rule = rule, .end_threshold = 0.1});
  }
}

TEST(Beam, KeepsDemandsAndDoesNotHangOnTheBatch) {
  LstmPolicy policy(request_for(small_options()));
  torch::NoGradGuard no_gradients;
  std::vector<std::shared_ptr<const Demands>> demands;
  for (int i = 0; i < 20; ++i) {
    auto one = std::make_shared<Demands>();
    for (int j = 0; j < 2 + i % 5; ++j) {
      one->bag.push_back({kSpecials + (i * 7 + j * 3) % 30, "w" + std::to_string(j)});
    }
    auto size = static_cast<int64_t>(one->bag.size());
    one->gaps = {{.min = size, .max = size}};
    demands.push_back(one);
  }
  std::vector<std::vector<std::vector<std::string>>> texts;
  for (int64_t batch : {4, 64}) {
    auto& all = texts.emplace_back();
    std::vector<Prompt> prompts = prompts_of(demands);
    DecodeRequest request{.count = 20, .prompts = prompts, .batch_size = batch};
    size_t next = 0;
    BeamDecoder({}, {}, {.size = 4})
        .decode(*policy.stepper(), request, [&](std::vector<Candidate>&& found) {
          ASSERT_FALSE(found.empty());
          for (const Candidate& candidate : found) {
            std::vector<std::string> words = candidate.tree.texts;
            std::vector<std::string> expected;
            for (const GivenWord& word : demands[next]->bag) expected.push_back(word.text);
            std::sort(words.begin(), words.end());
            EXPECT_EQ(words, expected);
          }
          all.push_back(found[0].tree.texts);
          ++next;
        });
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(Beam, KeepsTheScoresOfItsSteps) {
  LstmPolicy policy(request_for(small_options(true)));
  torch::NoGradGuard no_gradients;
  SamplerOptions sampler;
  sampler.decode = Decode::kGreedy;
  DecodeBounds bounds{.max_length = 9, .max_depth = 3};
  std::vector<StepScore> greedy;
  DecodeRequest request{.with_scores = true};
  Decoder(sampler, bounds).decode(*policy.stepper(), request, [&](DecodedTree&& decoded) {
    greedy = decoded.scores;
  });
  BeamDecoder(sampler, bounds, {.size = 1})
      .decode(*policy.stepper(), request, [&](std::vector<Candidate>&& found) {
        const DecodedTree& decoded = found.front().tree;
        EXPECT_LE(decoded.tree.depth(), 2);
        ASSERT_EQ(decoded.scores.size(), greedy.size());
        for (size_t i = 0; i < greedy.size(); ++i) {
          EXPECT_EQ(decoded.scores[i].logprob, greedy[i].logprob);
          EXPECT_EQ(decoded.scores[i].entropy, greedy[i].entropy);
        }
      });
}

Candidate candidate(std::span<const WordId> actions, double score) {
  return {{.tree = Tree::from_actions(actions, kEnd), .scores = {}}, score};
}

TEST(Candidates, TreesOfASentenceAddUpAndOneDrawnTwiceCountsOnce) {
  constexpr WordId a = kSpecials;
  constexpr WordId b = kSpecials + 1;
  const std::vector<WordId> from_left = {a, kEnd, b, kEnd, kEnd};
  const std::vector<WordId> from_right = {b, a, kEnd, kEnd, kEnd};
  const std::vector<WordId> single = {a, kEnd, kEnd};
  auto ranked = rank_by_probability(
      {candidate(from_left, std::log(0.2)), candidate(single, std::log(0.25)),
       candidate(from_right, std::log(0.1)), candidate(from_left, std::log(0.2))},
      0.0);
  ASSERT_EQ(ranked.size(), 2U);
  EXPECT_EQ(ranked[0].tree.tree.actions(kEnd), from_left);
  EXPECT_NEAR(ranked[0].score, std::log(0.3), 1e-12);
  EXPECT_NEAR(ranked[1].score, std::log(0.25), 1e-12);
  // Longer sentences win where log-probabilities are shared among more words.
  auto by_word = rank_by_probability(
      {candidate(from_left, std::log(0.2)), candidate(single, std::log(0.4))}, 1.0);
  EXPECT_EQ(by_word[0].tree.tree.word_count(), 2);
  EXPECT_NEAR(by_word[0].score, std::log(0.2) / 2, 1e-12);
}

}  // namespace
}  // namespace bough
