// Edit distance over words, and the metric made of it.
#include "bough/metrics/edit_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bough/base/random.h"
#include "bough/base/utf8.h"
#include "golden_metrics.h"

namespace bough {
namespace {

using Words = std::vector<std::string_view>;

int64_t distance(std::string_view a, std::string_view b) {
  return edit_distance(split_at_white_space(a), split_at_white_space(b));
}

/// By the definition: the whole table.
int64_t plain_distance(const Words& a, const Words& b) {
  std::vector<std::vector<int64_t>> table(a.size() + 1, std::vector<int64_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = static_cast<int64_t>(i + j);
        continue;
      }
      table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1,
                              table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
    }
  }
  return table[a.size()][b.size()];
}

const std::vector<std::string>& letters() {
  static const std::vector<std::string> kLetters = [] {
    std::vector<std::string> words;
    for (char c = 'a'; c <= 'z'; ++c) words.emplace_back(1, c);
    return words;
  }();
  return kLetters;
}

Words random_words(RandomStream& random, uint64_t count, uint64_t distinct) {
  Words words;
  for (; count > 0; --count) words.emplace_back(letters()[random.below(distinct)]);
  return words;
}

/// Sentence after sentence measured, and the score of the whole.
double score_of(const Metric& metric, const std::vector<std::string>& hypotheses,
                const References& references) {
  return metric.score(measure_text(metric, hypotheses, references, 2).sum());
}

TEST(EditDistance, SmallCases) {
  EXPECT_EQ(distance("", ""), 0);
  EXPECT_EQ(distance("a b c", ""), 3);
  EXPECT_EQ(distance("", "a b"), 2);
  EXPECT_EQ(distance("a b c", "a b c"), 0);
  EXPECT_EQ(distance("a b c", "a x c"), 1);
  EXPECT_EQ(distance("a b c", "b c a"), 2);
  EXPECT_EQ(distance("a a a", "a"), 2);
  EXPECT_EQ(distance("k i t t e n", "s i t t i n g"), 3);
}

TEST(EditDistance, IsWhatTheTableSays) {
  RandomStream random(1, Purpose::kTest, 501);
  for (int round = 0; round < 3000; ++round) {
    uint64_t longest = round % 10 == 0 ? 300 : 20;
    uint64_t distinct = 1 + random.below(26);
    Words a = random_words(random, random.below(longest), distinct);
    Words b = random_words(random, random.below(longest), distinct);
    ASSERT_EQ(edit_distance(a, b), plain_distance(a, b));
  }
}

TEST(EditDistance, AroundTheEdgesOfBlocks) {
  RandomStream random(1, Purpose::kTest, 502);
  for (uint64_t rows : {63, 64, 65, 127, 128, 129, 192}) {
    for (uint64_t columns : {1, 63, 64, 65, 128, 200}) {
      for (uint64_t distinct : {2, 5, 26}) {
        Words a = random_words(random, rows, distinct);
        Words b = random_words(random, columns, distinct);
        ASSERT_EQ(edit_distance(a, b), plain_distance(a, b)) << rows << ' ' << columns;
      }
    }
  }
}

TEST(EditDistance, NearCopies) {
  RandomStream random(1, Purpose::kTest, 503);
  for (int round = 0; round < 300; ++round) {
    Words a = random_words(random, 1 + random.below(200), 26);
    Words b = a;
    for (uint64_t changes = random.below(5); changes > 0 && !b.empty(); --changes) {
      auto place = b.begin() + static_cast<int64_t>(random.below(b.size()));
      if (random.below(2) == 0) {
        b.erase(place);
      } else {
        *place = letters()[random.below(26)];
      }
    }
    ASSERT_EQ(edit_distance(a, b), plain_distance(a, b));
  }
}

TEST(EditDistance, MeanOverSentences) {
  auto metric = make_edit_distance({});
  References references({{"a b c", "the cat", "", "x"}});
  std::vector<std::string> hypotheses = {"a c", "The cat sat", "", ""};
  Rows rows = measure_text(*metric, hypotheses, references, 1);
  std::vector<double> expected = {1, 2, 0, 1};
  for (size_t line = 0; line < 4; ++line) {
    EXPECT_EQ(metric->sentence_score(rows.of(line)), expected[line]) << line;
  }
  EXPECT_EQ(metric->score(rows.sum()), 1.0);
  EXPECT_EQ(metric->details(rows.sum()), "(WER = 66.67 edits = 4 ref_len = 6)");
  EXPECT_EQ(score_of(*make_edit_distance({.lowercase = true}), hypotheses, references), 0.75);
}

TEST(EditDistance, NothingAtAll) {
  auto metric = make_edit_distance({});
  std::vector<double> nothing(metric->row_size());
  EXPECT_EQ(metric->score(nothing), 0.0);
  EXPECT_EQ(metric->details(nothing), "(WER = 0.00 edits = 0 ref_len = 0)");
  std::vector<double> no_reference = {2.0, 0.0, 1.0};
  EXPECT_EQ(metric->details(no_reference), "(WER = 100.00 edits = 2 ref_len = 0)");
}

TEST(EditDistance, FewestEditsThenTheLongestReference) {
  auto metric = make_edit_distance({});
  std::vector<double> row(metric->row_size());
  std::vector<std::string_view> references = {"a", "x y z w", "a b c", "b"};
  metric->measure({"a b", references}, row);
  EXPECT_EQ(row, (std::vector<double>{1.0, 3.0, 1.0}));
}

TEST(EditDistance, WordsAndCaseAreUnicode) {
  auto metric = make_edit_distance({.lowercase = true});
  std::vector<double> row(metric->row_size());
  std::vector<std::string_view> references = {"i\u0307stanbul straße ὀδυσσεύς"};
  metric->measure({"İSTANBUL\u3000STRAẞE\u00a0ὈΔΥΣΣΕΎΣ", references}, row);
  EXPECT_EQ(row, (std::vector<double>{0.0, 3.0, 1.0}));
}

TEST(EditDistance, GoldenTextsByTheTable) {
  auto metric = make_edit_distance({});
  References references = golden_references({"ref1.txt"});
  std::vector<std::string> hypotheses = golden_lines("hypB.txt");
  Rows rows = measure_text(*metric, hypotheses, references, 2);
  int64_t total = 0;
  for (size_t line = 0; line < rows.lines(); ++line) {
    int64_t expected = plain_distance(split_at_white_space(hypotheses[line]),
                                      split_at_white_space(references.of(line)[0]));
    EXPECT_EQ(rows.of(line)[0], static_cast<double>(expected)) << line;
    total += expected;
  }
  EXPECT_DOUBLE_EQ(metric->score(rows.sum()), static_cast<double>(total) / 300.0);
  std::vector<std::string> same = golden_lines("ref1.txt");
  EXPECT_EQ(score_of(*metric, same, references), 0.0);
}

TEST(EditDistance, SaysHowItWasMeasured) {
  using Settings = std::vector<std::pair<std::string, std::string>>;
  auto metric = make_edit_distance({});
  EXPECT_EQ(metric->name(), "Edit");
  EXPECT_EQ(metric->decimals(), 6);
  EXPECT_EQ(metric->settings(), (Settings{{"case", "mixed"}, {"tok", "none"}}));
  EXPECT_EQ(make_edit_distance({.lowercase = true})->settings(),
            (Settings{{"case", "lc"}, {"tok", "none"}}));
}

}  // namespace
}  // namespace bough
