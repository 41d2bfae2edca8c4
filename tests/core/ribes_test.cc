// RIBES against RIBES.py 1.03.1 and by hand.
#include "bough/metrics/ribes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bough/base/random.h"
#include "bough/base/utf8.h"
#include "bough/metrics/rank_correlation.h"
#include "golden_metrics.h"

namespace bough {
namespace {

using Words = std::vector<std::string_view>;

std::vector<int> places(std::string_view hypothesis, std::string_view reference) {
  return matched_places(split_at_white_space(hypothesis), split_at_white_space(reference));
}

RibesParts parts(std::string_view hypothesis, std::string_view reference,
                 RankCorrelation correlation = RankCorrelation::kKendall) {
  return ribes_parts(split_at_white_space(hypothesis), split_at_white_space(reference),
                     correlation);
}

double sentence_score(std::string_view hypothesis, const std::vector<std::string_view>& references,
                      const RibesOptions& options = {}) {
  auto metric = make_ribes(options);
  std::vector<double> row(metric->row_size());
  metric->measure({hypothesis, references}, row);
  return metric->sentence_score(row);
}

int count_of(std::span<const std::string_view> ngram, std::span<const std::string_view> words) {
  int count = 0;
  for (auto at = words.begin();; ++at, ++count) {
    at = std::search(at, words.end(), ngram.begin(), ngram.end());
    if (at == words.end()) return count;
  }
}

/// By the definition, n-gram by n-gram.
std::vector<int> plain_places(const Words& hypothesis, const Words& reference) {
  std::vector<int> result;
  std::span<const std::string_view> words(hypothesis);
  auto place_of = [&](std::span<const std::string_view> ngram) -> int64_t {
    if (count_of(ngram, hypothesis) != 1 || count_of(ngram, reference) != 1) return -1;
    return std::search(reference.begin(), reference.end(), ngram.begin(), ngram.end()) -
           reference.begin();
  };
  for (size_t i = 0; i < words.size(); ++i) {
    for (size_t length = 1; length <= words.size(); ++length) {
      int64_t place = -1;
      if (length <= i + 1) {
        place = place_of(words.subspan(i + 1 - length, length));
        if (place >= 0) place += static_cast<int64_t>(length) - 1;
      }
      if (place < 0 && i + length <= words.size()) place = place_of(words.subspan(i, length));
      if (place < 0) continue;
      result.push_back(static_cast<int>(place));
      break;
    }
  }
  return result;
}

double plain_kendall(const std::vector<int>& numbers) {
  int64_t ascending = 0;
  int64_t pairs = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    for (size_t j = i + 1; j < numbers.size(); ++j) {
      ++pairs;
      if (numbers[i] < numbers[j]) ++ascending;
    }
  }
  return static_cast<double>(ascending) / static_cast<double>(pairs);
}

// ---- golden values

TEST(Ribes, GoldenScoresAndParts) {
  nlohmann::json golden = golden_json("ribes.json");
  ASSERT_EQ(golden.size(), 8U);
  for (const auto& [key, entry] : golden.items()) {
    RibesOptions options{.alpha = entry["alpha"],
                         .beta = entry["beta"],
                         .correlation = RankCorrelation::kKendall,
                         .case_sensitive = entry["case"]};
    auto metric = make_ribes(options);
    std::vector<std::string> hypotheses = golden_lines(entry["hyp"]);
    References references = golden_references(entry["refs"]);
    Rows rows = measure_text(*metric, hypotheses, references, 2);
    ASSERT_EQ(rows.lines(), entry["sentence"].size()) << key;
    for (size_t line = 0; line < rows.lines(); ++line) {
      double expected = entry["sentence"][line];
      EXPECT_NEAR(metric->sentence_score(rows.of(line)), expected, 1e-14) << key << ' ' << line + 1;
      RibesParts found = best_ribes_parts({hypotheses[line], references.of(line)}, options);
      const auto& golden_parts = entry["sentence_nkt_precision_bp"][line];
      EXPECT_DOUBLE_EQ(found.correlation, golden_parts[0]) << key << ' ' << line + 1;
      EXPECT_DOUBLE_EQ(found.precision, golden_parts[1]) << key << ' ' << line + 1;
      EXPECT_DOUBLE_EQ(found.brevity_penalty, golden_parts[2]) << key << ' ' << line + 1;
    }
    double corpus = metric->score(rows.sum());
    EXPECT_NEAR(corpus, entry["corpus"], 1e-13) << key;  // the reference sums in another order
    EXPECT_EQ(fmt::format("{:.6f}", corpus), entry["corpus_printed"]) << key;
  }
}

// ---- which word is which

TEST(Ribes, WordsThatStandOnceAreMatched) {
  EXPECT_EQ(places("a b c", "a b c"), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(places("c x a", "a b c"), (std::vector<int>{2, 0}));
  EXPECT_EQ(places("x y", "a b c"), std::vector<int>{});
}

TEST(Ribes, OthersAreMatchedByContext) {
  // `the` by `the cat` and `the dog`, which begin with it.
  EXPECT_EQ(places("the cat the dog", "the dog the cat"), (std::vector<int>{2, 3, 0, 1}));
  // `a` at the end by `b a`, which ends with it; the first `a` by `a b`: both name the same word.
  EXPECT_EQ(places("a b a", "b a b"), (std::vector<int>{1, 2, 1}));
  // No n-gram tells the words apart.
  EXPECT_EQ(places("a a", "a a a"), std::vector<int>{});
  // `a` by `x a`, which ends with it, although `a y` begins with it as well.
  EXPECT_EQ(places("x a y a", "a y x a z"), (std::vector<int>{2, 3, 1}));
}

TEST(Ribes, MatchesAreThoseOfTheDefinition) {
  RandomStream random(1, Purpose::kTest, 511);
  const Words vocabulary = {"a", "b", "c", "d", "e", "f", "g", "h"};
  for (int round = 0; round < 4000; ++round) {
    uint64_t distinct = 1 + random.below(vocabulary.size());
    auto sentence = [&] {
      Words words;
      for (uint64_t left = random.below(25); left > 0; --left) {
        words.push_back(vocabulary[random.below(distinct)]);
      }
      return words;
    };
    Words hypothesis = sentence();
    Words reference = round % 2 == 0 ? sentence() : hypothesis;
    if (round % 2 == 1 && reference.size() > 2) {
      std::rotate(reference.begin(), reference.begin() + 2, reference.end());
    }
    ASSERT_EQ(matched_places(hypothesis, reference), plain_places(hypothesis, reference));
  }
}

// ---- correlation

TEST(Ribes, KendallCountsAscendingPairs) {
  EXPECT_EQ(normalized_kendall(std::vector<int>{0, 1, 2, 3}), 1.0);
  EXPECT_EQ(normalized_kendall(std::vector<int>{3, 2, 1, 0}), 0.0);
  EXPECT_DOUBLE_EQ(normalized_kendall(std::vector<int>{1, 2, 1}), 1.0 / 3.0);
  RandomStream random(1, Purpose::kTest, 512);
  for (int round = 0; round < 500; ++round) {
    std::vector<int> numbers(2 + random.below(30));
    for (int& number : numbers) number = static_cast<int>(random.below(20));
    ASSERT_DOUBLE_EQ(normalized_kendall(numbers), plain_kendall(numbers));
  }
}

TEST(Ribes, SpearmanByHand) {
  EXPECT_DOUBLE_EQ(normalized_spearman(std::vector<int>{2, 5, 9}), 1.0);
  EXPECT_DOUBLE_EQ(normalized_spearman(std::vector<int>{9, 5, 2}), 0.0);
  // Ranks 1 3 2: the squared differences to 1 2 3 sum to 2, and rho = 1 - 6 * 2 / (3 * 8) = 0.5.
  EXPECT_DOUBLE_EQ(normalized_spearman(std::vector<int>{0, 7, 4}), 0.75);
  // Ranks 2 1 4 3 5: squares sum to 4, and rho = 1 - 6 * 4 / (5 * 24) = 0.8.
  EXPECT_DOUBLE_EQ(normalized_spearman(std::vector<int>{1, 0, 3, 2, 4}), 0.9);
  // Ranks 1.5 3 1.5, as far from the mean as -0.5 1 -0.5; places -1 0 1: no correlation.
  EXPECT_DOUBLE_EQ(normalized_spearman(std::vector<int>{1, 2, 1}), 0.5);
  EXPECT_DOUBLE_EQ(normalized_spearman(std::vector<int>{4, 4}), 0.5);
}

TEST(Ribes, SpearmanInTheScore) {
  RibesOptions options{.correlation = RankCorrelation::kSpearman};
  EXPECT_DOUBLE_EQ(sentence_score("b a d c e", {"a b c d e"}, options), 0.9);
  EXPECT_DOUBLE_EQ(sentence_score("b a d c e", {"a b c d e"}), 0.8);
  EXPECT_DOUBLE_EQ(parts("b a d c e x", "a b c d e", RankCorrelation::kSpearman).precision,
                   5.0 / 6.0);
}

// ---- scores

TEST(Ribes, PartsAndPowers) {
  RibesParts found = parts("b a x", "a b c d");
  EXPECT_EQ(found.correlation, 0.0);
  found = parts("a b x", "a b c d");
  EXPECT_DOUBLE_EQ(found.correlation, 1.0);
  EXPECT_DOUBLE_EQ(found.precision, 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(found.brevity_penalty, std::exp(1.0 - 4.0 / 3.0));
  EXPECT_DOUBLE_EQ(sentence_score("a b x", {"a b c d"}, {.alpha = 1.0, .beta = 2.0}),
                   2.0 / 3.0 * std::exp(-2.0 / 3.0));
}

TEST(Ribes, OneWordHasNoOrderUnlessItIsAllThereIs) {
  EXPECT_EQ(sentence_score("ok", {"ok ."}), 0.0);
  EXPECT_EQ(sentence_score("ok", {"ok"}), 1.0);
  EXPECT_DOUBLE_EQ(sentence_score("ok then", {"ok"}), std::pow(0.5, 0.25));
}

TEST(Ribes, EmptySentencesScoreNothing) {
  EXPECT_EQ(sentence_score("", {"a b"}), 0.0);
  EXPECT_EQ(sentence_score("a b", {""}), 0.0);
  EXPECT_EQ(sentence_score(" \u3000", {""}), 0.0);
  EXPECT_EQ(sentence_score("a b", {"", "a b"}), 1.0);
  auto metric = make_ribes({});
  EXPECT_EQ(metric->score(std::vector<double>(metric->row_size())), 0.0);
}

TEST(Ribes, BestReferenceCounts) {
  double first = sentence_score("a b c d", {"d c b a"});
  double second = sentence_score("a b c d", {"a c b d"});
  ASSERT_LT(first, second);
  EXPECT_EQ(sentence_score("a b c d", {"d c b a", "a c b d"}), second);
  EXPECT_EQ(sentence_score("a b c d", {"a c b d", "d c b a"}), second);
}

TEST(Ribes, CaseAndSpacesAreUnicode) {
  std::vector<std::string_view> reference = {"i\u0307stanbul straße ὀδυσσεύς"};
  std::string_view hypothesis = "İSTANBUL\u3000STRAẞE\u00a0ὈΔΥΣΣΕΎΣ";
  EXPECT_EQ(sentence_score(hypothesis, reference), 1.0);
  EXPECT_EQ(sentence_score(hypothesis, reference, {.case_sensitive = true}), 0.0);
}

// ---- laws

TEST(Ribes, IdentityScoresOneAndSentencesMaySwap) {
  auto metric = make_ribes({});
  std::vector<std::string> hypotheses = golden_lines("hypA.txt");
  std::vector<std::string> lines = golden_lines("ref1.txt");
  double there = metric->score(measure_text(*metric, hypotheses, References({lines}), 2).sum());
  Rows same = measure_text(*metric, lines, References({lines}), 2);
  for (size_t line = 0; line < lines.size(); ++line) EXPECT_EQ(same.of(line)[0], 1.0) << line + 1;
  std::reverse(hypotheses.begin(), hypotheses.end());
  std::reverse(lines.begin(), lines.end());
  double back = metric->score(measure_text(*metric, hypotheses, References({lines}), 1).sum());
  EXPECT_NEAR(there, back, 1e-13);
}

TEST(Ribes, SaysHowItWasMeasured) {
  using Settings = std::vector<std::pair<std::string, std::string>>;
  auto metric = make_ribes({});
  EXPECT_EQ(metric->name(), "RIBES");
  EXPECT_EQ(metric->decimals(), 6);
  EXPECT_EQ(metric->settings(), (Settings{{"case", "lc"},
                                          {"tok", "none"},
                                          {"corr", "kendall"},
                                          {"alpha", "0.25"},
                                          {"beta", "0.1"}}));
  RibesOptions options;
  OptionSet set;
  options.declare(set);
  set.set("ribes-correlation", "spearman", "test");
  set.set("ribes-alpha", "0.5", "test");
  set.set("ribes-case-sensitive", "true", "test");
  EXPECT_EQ(make_ribes(options)->settings(), (Settings{{"case", "mixed"},
                                                       {"tok", "none"},
                                                       {"corr", "spearman"},
                                                       {"alpha", "0.5"},
                                                       {"beta", "0.1"}}));
}

}  // namespace
}  // namespace bough
