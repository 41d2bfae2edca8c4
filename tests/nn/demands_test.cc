// What is demanded of a sentence is met, whatever the policy: random demands, random policies, and
// one that wants the contrary.
#include "bough/generate/demands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "bough/base/error.h"
#include "bough/generate/decoder.h"
#include "bough/generate/template.h"
#include "bough/model/layers/functions.h"
#include "test_models.h"

namespace bough {
namespace {

using Sentence = std::vector<std::string>;

/// The words of a decoded tree in order: the kept text, or `#number`.
Sentence words_of(const DecodedTree& decoded) {
  Sentence words;
  for (int id : decoded.tree.in_order()) {
    std::string text = decoded.texts.empty() ? "" : decoded.texts[static_cast<size_t>(id)];
    words.push_back(text.empty() ? "#" + std::to_string(decoded.tree.node(id).word) : text);
  }
  return words;
}

bool contains(const DecodedTree& decoded, const Phrase& phrase) {
  Phrase words;
  for (int id : decoded.tree.in_order()) {
    std::string text = decoded.texts.empty() ? "" : decoded.texts[static_cast<size_t>(id)];
    words.push_back({decoded.tree.node(id).word, text});
  }
  auto same = [](const GivenWord& a, const GivenWord& b) { return a.is(b); };
  return !std::ranges::search(words, phrase, same).empty();
}

/// Some of one to three words, often words that are given or the same as others.
std::vector<Phrase> random_phrases(std::span<const GivenWord> given, RandomStream& random) {
  std::vector<Phrase> phrases(random.below(5));
  for (Phrase& phrase : phrases) {
    size_t first = random.below(given.size() + 1);
    for (uint64_t i = 0, size = 1 + random.below(3); i < size; ++i) {
      bool own = random.below(3) > 0 && first + i < given.size();
      auto word = kSpecials + static_cast<WordId>(random.below(3));
      phrase.push_back(own ? given[first + i] : GivenWord{word, "some"});
    }
  }
  return phrases;
}

/// Whether `words` from `at` on meet the demands from gap `gap` on.
bool meets(const Demands& demands, const Sentence& words, size_t at, size_t gap) {
  size_t left = words.size() - at;
  if (gap == demands.given.size()) {
    auto count = static_cast<int64_t>(left);
    return count >= demands.gaps[gap].min && count <= demands.gaps[gap].max;
  }
  for (size_t skip = 0; skip < left; ++skip) {
    auto count = static_cast<int64_t>(skip);
    if (count < demands.gaps[gap].min || count > demands.gaps[gap].max) continue;
    if (words[at + skip] != demands.given[gap].text) continue;
    if (meets(demands, words, at + skip + 1, gap + 1)) return true;
  }
  return false;
}

void expect_met(const Demands& demands, const DecodedTree& decoded) {
  ASSERT_TRUE(decoded.tree.complete());
  Sentence words = words_of(decoded);
  auto count = static_cast<int64_t>(words.size());
  EXPECT_GE(count, demands.min_length);
  EXPECT_LE(count, demands.max_length);
  EXPECT_TRUE(meets(demands, words, 0, 0)) << testing::PrintToString(words);
  for (int id = 0; id < decoded.tree.word_count(); ++id) {
    if (!decoded.given.empty() && decoded.given[static_cast<size_t>(id)]) continue;
    EXPECT_GE(decoded.tree.node(id).word, kSpecials);
  }
  for (const Phrase& phrase : demands.avoided) {
    EXPECT_FALSE(contains(decoded, phrase)) << testing::PrintToString(words);
  }
  EXPECT_EQ(static_cast<size_t>(std::count(decoded.given.begin(), decoded.given.end(), true)),
            demands.given.size());
  if (!demands.unfinished || decoded.given.empty()) return;
  std::vector<int> order = decoded.tree.in_order();
  auto given = [&](int id) { return decoded.given[static_cast<size_t>(id)]; };
  for (size_t i = 1; i < order.size(); ++i) {
    if (!given(order[i]) || given(order[i - 1])) continue;
    EXPECT_EQ(std::ranges::count(*demands.unfinished, decoded.tree.node(order[i - 1]).word), 0)
        << "glued to a given word";
  }
}

/// Demands that can be met, drawn at random.
Demands random_demands(RandomStream& random) {
  for (;;) {
    Demands demands;
    demands.gaps.clear();
    auto given = static_cast<size_t>(random.below(6));
    for (size_t i = 0; i <= given; ++i) {
      Gap gap;
      switch (random.below(5)) {
        case 0:
          gap = {.min = 0, .max = 0};
          break;
        case 1:
          gap.min = static_cast<int64_t>(random.below(4));
          gap.max = gap.min + static_cast<int64_t>(random.below(3));
          break;
        case 2:
          gap.min = static_cast<int64_t>(random.below(3));
          break;
        default:
          break;
      }
      demands.gaps.push_back(gap);
      if (i == given) break;
      auto word = kSpecials + static_cast<WordId>(random.below(kSmallVocabulary - kSpecials));
      bool known = random.below(8) > 0;
      demands.given.push_back({known ? word : kUnknown, "given" + std::to_string(word)});
      demands.ranks.push_back(static_cast<int>(random.below(1000)));
    }
    if (random.below(2) == 0) demands.ranks.clear();
    if (random.below(2) == 0) {
      auto upper_half = std::make_shared<std::vector<WordId>>(kSmallVocabulary / 2);
      std::iota(upper_half->begin(), upper_half->end(), kSmallVocabulary - kSmallVocabulary / 2);
      demands.unfinished = upper_half;
    }
    demands.max_length = 20;
    if (random.below(3) == 0) demands.min_length = static_cast<int64_t>(random.below(15));
    if (random.below(3) == 0) demands.max_length = static_cast<int64_t>(1 + random.below(15));
    try {
      demands.avoid(random_phrases(demands.given, random));
      demands.check();
      return demands;
    } catch (const UnmetError&) {
      continue;  // these can't be met
    }
  }
}

/// A policy whose <end>, or closed side, has this bias.
std::unique_ptr<LstmPolicy> biased_policy(Shape shape, float end_bias, uint64_t seed) {
  PolicyOptions options = small_options();
  options.slot_context = SlotContext::kBoth;
  options.shape = shape;
  auto policy = std::make_unique<LstmPolicy>(request_for(options, 1.0, seed));
  if (shape == Shape::kEnd) change_numbers(policy->output().bias)[kEnd] = end_bias;
  for (Sides open : kAllSides) {
    if (shape == Shape::kEnd) break;
    change_numbers(policy->heads().sides()->bias())[index_of(open)] +=
        end_bias * static_cast<float>(2 - count_of(open));
  }
  return policy;
}

void decode_all(const std::vector<std::shared_ptr<const Demands>>& demands,
                const LstmPolicy& policy, const SamplerOptions& sampler, SeedShape shape,
                uint64_t seed) {
  torch::NoGradGuard no_gradients;
  size_t next = 0;
  std::vector<Prompt> prompts = prompts_of(demands);
  DecodeRequest request{.count = static_cast<int64_t>(demands.size()),
                        .prompts = prompts,
                        .seed = seed,
                        .shape = shape};
  Decoder(sampler, {}).decode(*policy.stepper(), request, [&](DecodedTree&& decoded) {
    expect_met(*demands[next], decoded);
    ++next;
  });
  EXPECT_EQ(next, demands.size());
}

TEST(Demands, AreMetWhateverThePolicy) {
  RandomStream random(1, Purpose::kTest);
  std::vector<std::shared_ptr<const Demands>> demands;
  for (int i = 0; i < 300; ++i) {
    demands.push_back(std::make_shared<Demands>(random_demands(random)));
  }
  uint64_t seed = 1;
  for (float end_bias : {-30.0F, 0.0F, 2.0F, 30.0F}) {  // never stops … always stops
    for (SeedShape shape : {SeedShape::kBest, SeedShape::kBalanced, SeedShape::kChain}) {
      SamplerOptions sampler;
      if (seed % 2 == 0) sampler.decode = Decode::kGreedy;
      for (Shape told : {Shape::kEnd, Shape::kArity}) {
        decode_all(demands, *biased_policy(told, end_bias, seed), sampler, shape, seed);
      }
      ++seed;
    }
  }
}

TEST(Demands, ABagIsUsedUpExactly) {
  RandomStream random(2, Purpose::kTest);
  std::vector<std::shared_ptr<const Demands>> demands;
  for (int i = 0; i < 200; ++i) {
    auto one = std::make_shared<Demands>();
    auto size = static_cast<int64_t>(1 + random.below(12));
    one->gaps = {{.min = size, .max = size}};
    for (int64_t j = 0; j < size; ++j) {
      auto word = kSpecials + static_cast<WordId>(random.below(10));
      bool known = random.below(6) > 0;
      one->bag.push_back({known ? word : kUnknown, "word" + std::to_string(random.below(12))});
      if (known) one->bag.back().text = "word" + std::to_string(word);
    }
    demands.push_back(one);
  }
  for (const auto& [shape, end_bias] :
       {std::pair{Shape::kEnd, -30.0F}, std::pair{Shape::kEnd, 0.0F}, std::pair{Shape::kEnd, 30.0F},
        std::pair{Shape::kArity, -30.0F}, std::pair{Shape::kArity, 30.0F}}) {
    std::unique_ptr<LstmPolicy> policy = biased_policy(shape, end_bias, 3);
    torch::NoGradGuard no_gradients;
    size_t next = 0;
    std::vector<Prompt> prompts = prompts_of(demands);
    DecodeRequest request{.count = static_cast<int64_t>(demands.size()), .prompts = prompts};
    Decoder({}, {}).decode(*policy->stepper(), request, [&](DecodedTree&& decoded) {
      Sentence expected;
      for (const GivenWord& word : demands[next]->bag) expected.push_back(word.text);
      Sentence found = words_of(decoded);
      std::sort(expected.begin(), expected.end());
      std::sort(found.begin(), found.end());
      EXPECT_EQ(found, expected);
      ++next;
    });
  }
}

TEST(Demands, LengthsOfPlainSentencesHold) {
  for (const DecodeBounds& bounds :
       {DecodeBounds{.length = 7}, DecodeBounds{.min_length = 4, .max_length = 6},
        DecodeBounds{.max_length = 1}, DecodeBounds{.min_length = 3, .max_depth = 2}}) {
    for (Shape shape : {Shape::kEnd, Shape::kArity}) {
      std::unique_ptr<LstmPolicy> policy = biased_policy(shape, 0.0F, 5);
      torch::NoGradGuard no_gradients;
      Demands demands;
      bounds.apply(demands);
      Decoder({}, bounds).decode(*policy->stepper(), {.count = 200}, [&](DecodedTree&& decoded) {
        EXPECT_GE(decoded.tree.word_count(), demands.min_length);
        EXPECT_LE(decoded.tree.word_count(), demands.max_length);
        bool deep = bounds.max_depth > 0 && decoded.tree.word_count() > demands.min_length &&
                    decoded.tree.depth() >= bounds.max_depth;
        EXPECT_FALSE(deep) << decoded.tree.word_count() << " words";
      });
    }
  }
}

TEST(Demands, ThatCannotBeMetAreRefused) {
  auto refuse = [](Demands demands) { EXPECT_THROW(demands.check(), UnmetError); };
  refuse({.gaps = {{.min = 3, .max = 2}}});
  refuse({.gaps = {{.min = 3}}, .max_length = 2});
  refuse({.gaps = {{.max = 3}}, .min_length = 4});
  refuse({.min_length = 5, .max_length = 4});
  Demands given{.given = {{7, "seven"}, {8, "eight"}}, .gaps = {{}, {.max = 0}, {}}};
  EXPECT_THROW(given.avoid({{{7, "seven"}}}), UnmetError);
  EXPECT_THROW(given.avoid({{{7, "seven"}, {8, "eight"}}}), UnmetError);
  given.avoid({{{8, "eight"}, {7, "seven"}}});
  EXPECT_THROW(Decoder({}, DecodeBounds{.min_length = 5, .max_length = 2}), UnmetError);
}

// ---- templates

class Templates : public testing::Test {
 protected:
  Templates() {
    WordCounts counts;
    for (const char* word : {"my", "favorite", "food", "is", "!", "a"}) counts[word] = 1;
    vocabulary_ = Vocabulary::build(counts, {});
  }

  Demands parse(std::string_view line) const {
    return parse_template(line, {tokenizer_, vocabulary_});
  }
  Demands parse_tree(std::string_view json) const {
    return parse_seed_tree(nlohmann::json::parse(json), {tokenizer_, vocabulary_});
  }
  static Sentence texts(const Demands& demands) {
    Sentence result;
    for (const GivenWord& word : demands.given) result.push_back(word.text);
    return result;
  }
  static std::vector<std::pair<int64_t, int64_t>> gaps(const Demands& demands) {
    std::vector<std::pair<int64_t, int64_t>> result;
    for (const Gap& gap : demands.gaps) {
      result.emplace_back(gap.min, gap.max == Gap::kUnbounded ? -1 : gap.max);
    }
    return result;
  }

  Tokenizer tokenizer_;
  Vocabulary vocabulary_;
};

using Gaps = std::vector<std::pair<int64_t, int64_t>>;

TEST_F(Templates, HaveGapsAndPhrases) {
  Demands demands = parse("___ favorite <blank> food _____ !");
  EXPECT_EQ(texts(demands), (Sentence{"favorite", "food", "!"}));
  EXPECT_EQ(gaps(demands), (Gaps{{0, -1}, {0, -1}, {0, -1}, {0, 0}}));
  demands = parse("my favorite <blank:1-3> is <blank:2> <blank:-4> zebra!");
  EXPECT_EQ(texts(demands), (Sentence{"my", "favorite", "is", "zebra", "!"}));
  EXPECT_EQ(gaps(demands), (Gaps{{0, 0}, {0, 0}, {1, 3}, {2, 6}, {0, 0}, {0, 0}}));
  EXPECT_EQ(demands.given[3].word, kUnknown);
  EXPECT_EQ(gaps(parse("<blank:2->")), (Gaps{{2, -1}}));
  EXPECT_EQ(gaps(parse("__ a")).size(), 4U);  // two underscores are two words
  for (const char* bad : {"<blank:>", "<blank:x>", "<blank:-1-2>", "<blank:-", "<blank:->"}) {
    EXPECT_THROW(parse(bad), DataError) << bad;
  }
}

TEST_F(Templates, CanBeSeedTrees) {
  Demands demands = parse_tree(
      R"({"token": "food", "left": {"token": "my", "left": "<end>"}, "right": {"token": "!", "right": "<end>"}})");
  EXPECT_EQ(texts(demands), (Sentence{"my", "food", "!"}));
  EXPECT_EQ(gaps(demands), (Gaps{{0, 0}, {0, -1}, {0, -1}, {0, 0}}));
  EXPECT_EQ(demands.ranks, (std::vector<int>{1, 0, 1}));
  for (const char* bad : {"{}", "[]", "5", R"({"token": 3})", R"({"token": "a b"})",
                          R"({"token": "a", "left": "b"})", R"({"token": "a", "lift": null})"}) {
    EXPECT_THROW(parse_tree(bad), DataError) << bad;
  }
}

TEST_F(Templates, PhrasesMustAppear) {
  std::vector<std::string> phrases = split_phrases("my favorite, food,, is ");
  EXPECT_EQ(phrases.size(), 3U);
  Demands demands = demand_phrases(phrases, {tokenizer_, vocabulary_});
  EXPECT_EQ(gaps(demands), (Gaps{{0, -1}, {0, 0}, {0, -1}, {0, -1}, {0, -1}}));
}

}  // namespace
}  // namespace bough
