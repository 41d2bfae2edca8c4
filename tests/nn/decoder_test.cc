// Decoding with a policy made by hand, and sampling.
#include "bough/generate/decoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "bough/base/error.h"
#include "bough/generate/writer.h"
#include "bough/model/kernels/top_k.h"
#include "bough/model/layers/functions.h"
#include "same_output.h"
#include "test_models.h"

namespace bough {
namespace {

constexpr int64_t kActions = kSpecials + 3;
constexpr WordId kA = kSpecials;
constexpr WordId kB = kSpecials + 1;
constexpr WordId kC = kSpecials + 2;

/// Logits by the number of actions that a row has taken so far.
class ScriptedStepper : public Stepper {
 public:
  explicit ScriptedStepper(std::vector<std::vector<float>> script) : script_(std::move(script)) {}
  void start(std::span<const SourceIds> sources) override { steps_.assign(sources.size(), 0); }
  void advance(std::span<const StepInput> inputs, std::span<const SourceIds> fresh) override {
    EXPECT_EQ(inputs.size(), steps_.size());
    for (size_t& step : steps_) ++step;
    steps_.resize(steps_.size() + fresh.size(), 0);
  }
  void keep(std::span<const int64_t> rows) override {
    std::vector<size_t> kept;
    for (int64_t row : rows) kept.push_back(steps_.at(static_cast<size_t>(row)));
    steps_ = kept;
  }
  void scores(int64_t, std::span<const WordId>, std::span<float>) const override {}
  void all_scores(std::span<float> logits) const override {
    EXPECT_EQ(logits.size(), steps_.size() * kActions);
    for (size_t r = 0; r < steps_.size(); ++r) {
      const std::vector<float>& row = script_[std::min(steps_[r], script_.size() - 1)];
      std::copy(row.begin(), row.end(), logits.begin() + static_cast<int64_t>(r) * kActions);
    }
  }
  std::span<const float> end_logits() const override { return end_logits_; }
  int64_t rows() const override { return static_cast<int64_t>(steps_.size()); }
  int64_t vocabulary() const override { return kActions; }

  size_t step_of(int64_t row) const { return steps_.at(static_cast<size_t>(row)); }

  std::vector<float> end_logits_;

 private:
  std::vector<std::vector<float>> script_;
  std::vector<size_t> steps_;  // taken, by row
};

std::vector<float> prefer(WordId action) {
  std::vector<float> logits(kActions, 0.0F);
  logits[static_cast<size_t>(action)] = 30.0F;
  return logits;
}

std::vector<DecodedTree> decode(Stepper& stepper, const SamplerOptions& sampler,
                                const DecodeBounds& bounds, const DecodeRequest& request) {
  std::vector<DecodedTree> trees;
  Decoder(sampler, bounds).decode(stepper, request, [&](DecodedTree&& tree) {
    trees.push_back(std::move(tree));
  });
  return trees;
}

TEST(Decoder, GreedyFollowsTheScores) {
  ScriptedStepper stepper({prefer(kB), prefer(kA), prefer(kC), prefer(kEnd)});
  auto trees = decode(stepper, {.decode = Decode::kGreedy}, {}, {.count = 3, .with_scores = true});
  ASSERT_EQ(trees.size(), 3U);
  for (const DecodedTree& decoded : trees) {
    EXPECT_EQ(decoded.tree.sentence(), (std::vector<WordId>{kA, kB, kC}));
    EXPECT_EQ(decoded.tree.actions(kEnd),
              (std::vector<WordId>{kB, kA, kC, kEnd, kEnd, kEnd, kEnd}));
    EXPECT_TRUE(decoded.finished);
    ASSERT_EQ(decoded.scores.size(), 7U);
    for (const StepScore& score : decoded.scores) EXPECT_NEAR(score.logprob, 0.0, 1e-6);
  }
}

TEST(Decoder, SpecialsAreNeverWords) {
  for (WordId special : {kStart, kPad, kBagEnd, kUnknown}) {
    ScriptedStepper stepper({prefer(special), prefer(special), prefer(kEnd)});
    auto trees = decode(stepper, {}, {}, {.count = 50});
    for (const DecodedTree& decoded : trees) {
      for (WordId word : decoded.tree.sentence()) EXPECT_GE(word, kSpecials);
    }
  }
  ScriptedStepper stepper({prefer(kUnknown), prefer(kEnd)});
  auto trees = decode(stepper, {.decode = Decode::kGreedy, .allow_unknown = true}, {}, {});
  EXPECT_EQ(trees[0].tree.sentence(), std::vector<WordId>{kUnknown});
}

TEST(Decoder, ASentenceHasAWord) {
  ScriptedStepper stepper({prefer(kEnd)});
  for (const DecodedTree& decoded : decode(stepper, {}, {}, {.count = 20})) {
    EXPECT_EQ(decoded.tree.word_count(), 1);
  }
}

TEST(Decoder, BoundsCloseSlotsAndKeepTheTreeWhole) {
  ScriptedStepper endless({prefer(kA)});
  for (int64_t length : {1, 2, 7, 30}) {
    auto trees = decode(endless, {}, {.max_length = length}, {.count = 2});
    EXPECT_EQ(trees[0].tree.word_count(), length);
    EXPECT_TRUE(trees[0].tree.complete());
    EXPECT_FALSE(trees[0].finished);
  }
  for (int64_t depth : {1, 2, 4}) {
    auto trees = decode(endless, {}, {.max_length = 1000, .max_depth = depth}, {});
    EXPECT_EQ(trees[0].tree.word_count(), (1 << depth) - 1);
    EXPECT_EQ(trees[0].tree.depth(), depth - 1);
    EXPECT_TRUE(trees[0].tree.complete());
    EXPECT_FALSE(trees[0].finished);
  }
}

TEST(Decoder, AnEndHeadStopsAtItsThreshold) {
  ScriptedStepper stepper({prefer(kA)});
  float logit = std::log(0.6F / 0.4F);  // probability 0.6
  stepper.end_logits_.assign(1, logit);
  EXPECT_EQ(decode(stepper, {.end_threshold = 0.5}, {}, {})[0].tree.word_count(), 1);
  EXPECT_EQ(decode(stepper, {.end_threshold = 0.7}, {.max_length = 9}, {})[0].tree.word_count(), 9);
}

/// Mean length where every slot is closed with probability p by the head: a word has two slots, so
/// lengths are those of a branching process, here bounded to one or two words.
double share_of_one_word(const SamplerOptions& options, double probability) {
  ScriptedStepper stepper({prefer(kA)});
  constexpr int64_t kDraws = 6000;
  stepper.end_logits_.assign(kDraws, static_cast<float>(std::log(probability / (1 - probability))));
  double result = 0.0;
  for (const DecodedTree& decoded :
       decode(stepper, options, {.max_length = 2}, {.count = kDraws, .batch_size = kDraws})) {
    result += decoded.tree.word_count() == 1 ? 1.0 / kDraws : 0.0;
  }
  return result;
}

TEST(Decoder, AnEndIsDrawnByItsProbability) {
  for (Decode words : {Decode::kGreedy, Decode::kSample}) {
    SamplerOptions options{.decode = words, .end_rule = EndRule::kSample};
    EXPECT_NEAR(share_of_one_word(options, 0.6), 0.36, 0.025);  // both slots are closed
    options.end_temperature = 2.0;                              // odds of 1.5 become their root
    double odds = std::sqrt(1.5);
    EXPECT_NEAR(share_of_one_word(options, 0.6), std::pow(odds / (1 + odds), 2), 0.025);
  }
}

/// The bias is linear in the words that are expected at a slot, and grows a tree towards them.
TEST(Decoder, ALengthBiasExpectsWords) {
  ScriptedStepper stepper({prefer(kA)});
  stepper.end_logits_.assign(1, 0.9F);  // on its own: every slot is closed
  std::vector<WordId> words(6, kB);
  std::vector<Prompt> prompts = {{.source = words}};
  auto length = [&](double bias, double ratio) {
    return decode(stepper, {.length_bias = bias, .length_ratio = ratio}, {},
                  {.prompts = prompts})[0]
        .tree.word_count();
  };
  EXPECT_EQ(length(0.0, 1.0), 1);
  // After one word 5 more are expected at 2 slots: 0.9 − 0.5 · 2.5 < 0, so a word comes. Slots
  // multiply: at 2 words 4/2 (0.9 − 1 < 0), at 3 words 3/2 (0.9 − 0.75 > 0) … until it is enough.
  EXPECT_GT(length(0.5, 1.0), 2);
  EXPECT_LT(length(0.5, 1.0), 7);
  EXPECT_EQ(length(0.5, 0.5), 2);   // 2 more at 2 slots: −0.5; then 1/2: closed
  EXPECT_GE(length(20.0, 1.0), 6);  // never closed before all have come
  EXPECT_EQ(length(0.3, 0.2), 1);
  std::vector<Prompt> none(1);  // a language model expects nothing
  EXPECT_EQ(decode(stepper, {.length_bias = 5.0}, {}, {.prompts = none})[0].tree.word_count(), 1);
}

/// Without a head the bias moves <end>'s own logit.
TEST(Decoder, ALengthBiasWorksWithoutAHead) {
  std::vector<float> logits(kActions, -20.0F);
  logits[kA] = 1.0F;
  logits[kEnd] = 2.0F;
  ScriptedStepper stepper({logits});
  std::vector<WordId> words(3, kB);
  std::vector<Prompt> prompts = {{.source = words}};
  SamplerOptions options{.decode = Decode::kGreedy};
  EXPECT_EQ(decode(stepper, options, {}, {.prompts = prompts})[0].tree.word_count(), 1);
  options.length_bias = 50.0;
  EXPECT_EQ(decode(stepper, options, {}, {.prompts = prompts})[0].tree.word_count(), 3);
}

/// Words come with their sides, those of the first one with these probabilities, all others closed.
class SidedStepper : public ScriptedStepper {
 public:
  SidedStepper() : ScriptedStepper({prefer(kA)}) {}
  Shape shape() const override { return Shape::kArity; }
  SideScores side_logits(int64_t row, WordId /*word*/) const override {
    if (step_of(row) > 0) return {30.0F, 0.0F, 0.0F, 0.0F};
    SideScores logits;
    for (size_t i = 0; i < logits.size(); ++i) logits[i] = std::log(kShares[i]);
    return logits;
  }

  // Left is closed at 0.75, right at 0.4.
  static constexpr SideScores kShares = {0.3F, 0.1F, 0.45F, 0.15F};
};

TEST(Decoder, SidesAreClosedByTheEndRule) {
  auto sides = [](const SamplerOptions& options) {
    SidedStepper stepper;
    return decode(stepper, options, {}, {})[0].tree.node(0).open;
  };
  SamplerOptions options{.decode = Decode::kGreedy};
  EXPECT_EQ(sides(options), Sides::kRight);
  options.end_rule = EndRule::kThreshold;
  EXPECT_EQ(sides(options), Sides::kRight);
  options.end_threshold = 0.8;
  EXPECT_EQ(sides(options), Sides::kBoth);
  options.end_threshold = 0.3;
  EXPECT_EQ(sides(options), Sides::kNone);
}

TEST(Decoder, SidesAreDrawnByTheirProbability) {
  for (double temperature : {1.0, 2.0}) {
    SamplerOptions options{
        .decode = Decode::kGreedy, .end_rule = EndRule::kSample, .end_temperature = temperature};
    SidedStepper stepper;
    constexpr int64_t kDraws = 6000;
    std::array<double, kAllSides.size()> drawn{};
    for (const DecodedTree& decoded : decode(stepper, options, {}, {.count = kDraws})) {
      drawn[index_of(decoded.tree.node(0).open)] += 1.0 / kDraws;
    }
    double total = 0.0;
    for (float share : SidedStepper::kShares) total += std::pow(share, 1.0 / temperature);
    for (size_t i = 0; i < drawn.size(); ++i) {
      EXPECT_NEAR(drawn[i], std::pow(SidedStepper::kShares[i], 1.0 / temperature) / total, 0.03);
    }
  }
}

/// Beside the first of six words five are due at two slots: closed sides count a half of that less.
TEST(Decoder, ALengthBiasOpensSides) {
  std::vector<WordId> words(6, kB);
  std::vector<Prompt> prompts = {{.source = words}};
  SidedStepper stepper;
  SamplerOptions options{.decode = Decode::kGreedy, .length_bias = 0.5};
  EXPECT_EQ(decode(stepper, options, {}, {.prompts = prompts})[0].tree.node(0).open, Sides::kBoth);
  options.length_ratio = 1.0 / 6.0;  // none is due
  EXPECT_EQ(decode(stepper, options, {}, {.prompts = prompts})[0].tree.node(0).open, Sides::kRight);
}

/// Shares of the first word over many sampled one-word sentences.
std::map<WordId, double> shares(const SamplerOptions& options, const std::vector<float>& logits) {
  ScriptedStepper stepper({logits, prefer(kEnd)});
  constexpr int64_t kDraws = 6000;
  std::map<WordId, double> result;
  for (const DecodedTree& decoded :
       decode(stepper, options, {.max_length = 1}, {.count = kDraws})) {
    result[decoded.tree.node(0).word] += 1.0 / kDraws;
  }
  return result;
}

TEST(Sampler, DrawsFollowTheSoftmaxAndTheTemperature) {
  std::vector<float> logits(kActions, -20.0F);
  logits[kA] = std::log(0.5F);
  logits[kB] = std::log(0.3F);
  logits[kC] = std::log(0.2F);
  auto plain = shares({}, logits);
  EXPECT_NEAR(plain[kA], 0.5, 0.025);
  EXPECT_NEAR(plain[kB], 0.3, 0.025);
  EXPECT_NEAR(plain[kC], 0.2, 0.025);
  auto cold = shares({.temperature = 0.5}, logits);  // squares: .25 .09 .04
  EXPECT_NEAR(cold[kA], 0.25 / 0.38, 0.025);
  EXPECT_NEAR(cold[kC], 0.04 / 0.38, 0.025);
}

TEST(Sampler, TopKAndTopPTruncate) {
  std::vector<float> logits(kActions, -20.0F);
  logits[kA] = std::log(0.5F);
  logits[kB] = std::log(0.3F);
  logits[kC] = std::log(0.2F);
  auto two = shares({.top_k = 2}, logits);
  EXPECT_EQ(two.count(kC), 0U);
  EXPECT_NEAR(two[kA], 0.5 / 0.8, 0.025);
  EXPECT_EQ(shares({.top_k = 1}, logits).size(), 1U);
  auto held = shares({.top_p = 0.7}, logits);
  EXPECT_EQ(held.count(kC), 0U);
  EXPECT_NEAR(held[kB], 0.3 / 0.8, 0.025);
  EXPECT_EQ(shares({.top_p = 0.5}, logits).size(), 1U);
  std::vector<float> equal(kActions, 1.0F);  // ties: exactly k survive
  EXPECT_EQ(shares({.top_k = 2}, equal).size(), 2U);
}

/// The fast selection against a sort, with ties, −∞ and every size.
TEST(Sampler, LargestKIsTheFrontOfASort) {
  RandomStream random(4, Purpose::kTest);
  for (int64_t size : {1, 5, 16, 17, 100, 1000, 5003}) {
    for (bool ties : {false, true}) {
      std::vector<float> scores;
      for (int64_t i = 0; i < size; ++i) {
        double value = random.normal();
        scores.push_back(random.uniform() < 0.1
                             ? -INFINITY
                             : static_cast<float>(ties ? std::round(value) : value));
      }
      std::vector<int64_t> order;
      for (int64_t i = 0; i < size; ++i) {
        if (scores[static_cast<size_t>(i)] > -INFINITY) order.push_back(i);
      }
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return scores[static_cast<size_t>(a)] > scores[static_cast<size_t>(b)];
      });
      for (int64_t k : {int64_t{1}, int64_t{2}, int64_t{10}, int64_t{300}, size}) {
        std::vector<int64_t> expected(
            order.begin(),
            order.begin() + std::min<int64_t>(k, static_cast<int64_t>(order.size())));
        std::sort(expected.begin(), expected.end());
        std::vector<int64_t> found = largest_k(scores, k);
        std::sort(found.begin(), found.end());
        EXPECT_EQ(found, expected) << size << " " << k;
      }
    }
  }
}

/// The same sentences whatever the batch size, to the last bit of their scores. Without our kernels
/// the scores may differ by rounding: a BLAS may sum otherwise for another number of rows.
TEST(Generator, BatchesDoNotShow) {
  for (bool end_head : {false, true}) {
    LstmPolicy policy(request_for(small_options(end_head), 0.3));
    bool to_the_bit = uses_kernels(policy.embedding());
    WordCounts counts;
    for (int64_t i = 0; i < kSmallVocabulary - kSpecials; ++i) counts[fmt::format("w{}", i)] = 1;
    Language text{.tokenizer = Tokenizer(), .vocabulary = Vocabulary::build(counts, {})};
    auto run = [&](int64_t batch_size) {
      std::vector<Trace> traces;
      WriterOptions options{.seed = 5, .batch_size = batch_size};
      options.bounds.max_length = 20;
      Writer(policy, text, options)
          .write({.count = 60, .with_scores = true}, [&](std::vector<Written>&& written) {
            traces.push_back(std::move(written.front().trace));
          });
      return traces;
    };
    std::vector<Trace> one = run(1);
    ASSERT_EQ(one.size(), 60U);
    for (int64_t batch_size : {7, 60}) {
      std::vector<Trace> many = run(batch_size);
      ASSERT_EQ(many.size(), one.size());
      for (size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(many[i].tree.actions(kEnd), one[i].tree.actions(kEnd));
        EXPECT_NEAR(many[i].logprob(), one[i].logprob(), 1e-3);
        if (to_the_bit) {
          EXPECT_TRUE(same_output(to_json(many[i]).dump(), to_json(one[i]).dump()));
        }
      }
    }
  }
}

/// A sentence's draws are named by its prompt and by which of the prompt's sentences it is: neither
/// how many are drawn for each prompt nor where a prompt stands among others changes them, and no
/// prompt draws like one at the next seed, nor one way to meet it like another.
TEST(Decoder, AStreamIsNamedByPromptAndDraw) {
  LstmPolicy policy(request_for(small_options(), 0.5));
  torch::NoGradGuard no_gradients;
  auto write = [&](std::vector<PromptName> names, int64_t draws, uint64_t seed) {
    std::vector<std::vector<WordId>> sentences;
    std::vector<Prompt> prompts(8);  // by their places
    if (!names.empty()) prompts.resize(names.size());
    for (size_t i = 0; i < names.size(); ++i) prompts[i].name = names[i];
    DecodeRequest request{.count = static_cast<int64_t>(prompts.size()),
                          .prompts = prompts,
                          .draws = draws,
                          .seed = seed};
    Decoder(SamplerOptions{}, DecodeBounds{.min_length = 5})
        .decode(*policy.stepper(), request,
                [&](DecodedTree&& decoded) { sentences.push_back(decoded.tree.sentence()); });
    return sentences;
  };
  auto one_each = write({}, 1, 1);
  auto three_each = write({}, 3, 1);
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(three_each[3 * i], one_each[i]) << i;
  auto named = write({{.number = 5}, {.number = 2}, {.number = 7}}, 3, 1);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(named[i], three_each[15 + i]) << i;
    EXPECT_EQ(named[3 + i], three_each[6 + i]) << i;
    EXPECT_EQ(named[6 + i], three_each[21 + i]) << i;
  }
  std::set<std::vector<WordId>> different(three_each.begin(), three_each.end());
  for (uint64_t seed : {2, 3}) {
    for (const auto& sentence : write({}, 3, seed)) different.insert(sentence);
  }
  for (int64_t way : {1, 2}) {
    for (const auto& sentence : write({{.number = 0, .way = way}}, 3, 1))
      different.insert(sentence);
  }
  EXPECT_EQ(different.size(), 3U * 24U + 2U * 3U);
}

}  // namespace
}  // namespace bough
