#include "bough/generate/mbr.h"

#include <gtest/gtest.h>

#include "bough/metrics/bleu.h"

namespace bough {
namespace {

size_t most_agreed_on(std::span<const std::string> candidates, MbrMetric metric) {
  return rank_by_agreement(candidates, metric).front().index;
}

TEST(Mbr, TakesWhatMostAgreeOn) {
  std::vector<std::string> candidates = {"something else entirely now", "the old dog sleeps here",
                                         "the old dog sleeps here now", "the old cat sleeps here"};
  EXPECT_EQ(most_agreed_on(candidates, MbrMetric::kBleu), 1U);
  EXPECT_NE(most_agreed_on(candidates, MbrMetric::kChrf), 0U);
  std::vector<std::string> repeated = {"a b c d", "x y z w", "x y z w"};
  EXPECT_EQ(most_agreed_on(repeated, MbrMetric::kBleu), 1U);
  EXPECT_EQ(most_agreed_on(repeated, MbrMetric::kChrf), 1U);
  std::vector<std::string> one = {"a"};
  EXPECT_EQ(most_agreed_on(one, MbrMetric::kBleu), 0U);
  std::vector<std::string> empty = {"", "", "a"};
  EXPECT_EQ(most_agreed_on(empty, MbrMetric::kChrf), 0U);
}

/// The definition, pair by pair.
TEST(Mbr, IsTheHighestMeanScoreAgainstTheOthers) {
  std::vector<std::string> candidates = {"i like to eat pizza .", "i like pizza .",
                                         "pizza i like to eat .", "i like to eat pizza !",
                                         "i like to eat .",       "i like pizza ."};
  auto metric = make_bleu({.tokenizer = BleuTokenizer::kNone});
  size_t best = 0;
  std::vector<double> totals(candidates.size());
  for (size_t i = 0; i < candidates.size(); ++i) {
    for (size_t j = 0; j < candidates.size(); ++j) {
      if (i == j) continue;
      std::string_view reference = candidates[j];
      std::vector<double> row(metric->row_size());
      metric->measure({candidates[i], {&reference, 1}}, row);
      totals[i] += metric->sentence_score(row);
    }
    if (totals[i] > totals[best] + 1e-9) best = i;
  }
  EXPECT_EQ(most_agreed_on(candidates, MbrMetric::kBleu), best);
}

}  // namespace
}  // namespace bough
