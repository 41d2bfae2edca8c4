// Beam search: with a beam as wide as everything it finds the best sentence of all; a narrow one
// keeps every promise that sampling keeps.
#include "bough/generate/beam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "bough/model/functions.h"
#include "test_models.h"

namespace bough {
namespace {

constexpr int64_t kWords = kSpecials + 2;  // two words

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
    std::unique_ptr<Stepper> stepper = policy.stepper();
    stepper->start(no_sources(1));
    for (size_t i = 0; i < actions.size(); ++i) {
      StepInput input = step_input(tree, static_cast<int>(i) + 1, actions[i]);
      stepper->advance({&input, 1});
    }
    std::vector<float> logits(kWords);
    stepper->all_scores(logits);
    bool may_end = !actions.empty();
    bool may_word = tree.word_count() < most;
    double sum = 0;
    auto allowed = [&](WordId action) {
      return action == kEnd ? may_end : action >= kSpecials && may_word;
    };
    for (WordId action = 0; action < kWords; ++action) {
      if (allowed(action)) sum += std::exp(logits[static_cast<size_t>(action)]);
    }
    for (WordId action = 0; action < kWords; ++action) {
      if (!allowed(action)) continue;
      std::vector<WordId> next = actions;
      next.push_back(action);
      // A slot that nothing but <end> may fill costs nothing.
      double step = may_word ? logits[static_cast<size_t>(action)] - std::log(sum) : 0.0;
      go(next, logprob + step);
    }
  };
  go({}, 0.0);
  return probabilities;
}

TEST(Beam, AsWideAsEverythingFindsTheBestSentence) {
  for (uint64_t seed : {1, 2, 3}) {
    PolicyOptions options = small_options();
    options.slot_context = SlotContext::kBoth;
    LstmPolicy policy(options, kWords, seed, 1.0, kStart);
    torch::NoGradGuard no_gradients;
    auto all = enumerate(policy, 3);
    SamplerOptions sampler;
    sampler.end_rule = EndRule::kArgmax;
    BeamDecoder beam(sampler, {.max_length = 3}, {.size = 5000, .length_power = 0.0});
    std::vector<BeamCandidate> found;
    beam.decode(*policy.stepper(), {.count = 1},
                [&](std::vector<BeamCandidate>&& candidates) { found = std::move(candidates); });
    ASSERT_EQ(found.size(), all.size());
    for (const BeamCandidate& candidate : found) {
      EXPECT_NEAR(std::exp(candidate.score), all.at(candidate.tree.tree.sentence()), 1e-5);
    }
    for (size_t i = 1; i < found.size(); ++i) EXPECT_GE(found[i - 1].score, found[i].score);
  }
}

TEST(Beam, OfOneIsGreedy) {
  LstmPolicy policy(small_options(), kSmallVocabulary, 3, 1.0, kStart);
  change_numbers(policy.output().bias)[kEnd] = 1.0F;
  torch::NoGradGuard no_gradients;
  for (EndRule rule : {EndRule::kArgmax, EndRule::kThreshold}) {
    SamplerOptions sampler;
    sampler.decode = Decode::kGreedy;
    sampler.end_rule = rule;
    sampler.end_threshold = 0.1;
    std::vector<WordId> greedy;
    Decoder(sampler, {.max_length = 12}).decode(*policy.stepper(), {.count = 1}, [&](auto&& tree) {
      greedy = tree.tree.sentence();
    });
    BeamDecoder(sampler, {.max_length = 12}, {.size = 1})
        .decode(*policy.stepper(), {.count = 1}, [&](std::vector<BeamCandidate>&& found) {
          ASSERT_EQ(found.size(), 1U);
          EXPECT_EQ(found[0].tree.tree.sentence(), greedy);
        });
  }
}

TEST(Beam, KeepsDemandsAndDoesNotHangOnTheBatch) {
  LstmPolicy policy(small_options(), kSmallVocabulary, 3, 1.0, kStart);
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
    DecodeRequest request{.count = 20, .batch_size = batch, .demands = demands};
    size_t next = 0;
    BeamDecoder({}, {}, {.size = 4})
        .decode(*policy.stepper(), request, [&](std::vector<BeamCandidate>&& found) {
          ASSERT_FALSE(found.empty());
          for (const BeamCandidate& candidate : found) {
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

}  // namespace
}  // namespace bough
