// TER against sacreBLEU 2.6.0, and its search for shifts against a plain one.
#include "bough/metrics/ter.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "bough/base/random.h"
#include "bough/base/utf8.h"
#include "bough/metrics/ter_shifts.h"
#include "golden_metrics.h"

namespace bough {
namespace {

using Sentence = std::vector<uint32_t>;
using Settings = std::vector<std::pair<std::string, std::string>>;

std::string joined(std::string_view line, const TerOptions& options) {
  std::string text = ter_text(line, options);
  std::string result;
  for (std::string_view word : split_at_white_space(text)) {
    if (!result.empty()) result += ' ';
    result += word;
  }
  return result;
}

std::string normalized(std::string_view line) {
  return joined(line, {.normalized = true});
}

double sentence_score(std::string_view hypothesis, const std::vector<std::string_view>& references,
                      const TerOptions& options = {}) {
  auto metric = make_ter(options);
  std::vector<double> row(metric->row_size());
  metric->measure({hypothesis, references}, row);
  return metric->sentence_score(row);
}

// ---- golden values

std::string signature(const Metric& metric, size_t references) {
  std::string text = fmt::format("nrefs:{}", references);
  for (const auto& [key, value] : metric.settings()) text += fmt::format("|{}:{}", key, value);
  return text + "|version:2.6.0";
}

void check_lines(const nlohmann::json& entry, const Metric& metric, const Rows& rows) {
  for (size_t line = 0; line < rows.lines(); ++line) {
    if (entry.contains("sentence_scores")) {
      EXPECT_DOUBLE_EQ(metric.sentence_score(rows.of(line)), entry["sentence_scores"][line])
          << line + 1;
    }
    if (entry.contains("sentence_num_edits")) {
      EXPECT_EQ(rows.of(line)[0], entry["sentence_num_edits"][line]) << line + 1;
      EXPECT_EQ(rows.of(line)[1], entry["sentence_ref_length"][line]) << line + 1;
    }
  }
}

TEST(Ter, GoldenScores) {
  int entries = 0;
  for (const auto& entry : golden_json("sacrebleu_chrf_ter.json")) {
    if (entry["metric"] != "TER") continue;
    SCOPED_TRACE(
        fmt::format("{} {} {}", entry["hyp"].dump(), entry["refs"].dump(), entry["args"].dump()));
    const auto& args = entry["args"];
    auto metric = make_ter({.normalized = args.value("normalized", false),
                            .no_punct = args.value("no_punct", false),
                            .asian_support = args.value("asian_support", false),
                            .case_sensitive = args.value("case_sensitive", false)});
    std::vector<std::string> files;
    for (const std::string name : entry["refs"]) files.push_back(name + ".txt");
    std::vector<std::string> hypotheses = golden_lines(entry["hyp"].get<std::string>() + ".txt");
    Rows rows = measure_text(*metric, hypotheses, golden_references(files), 2);
    std::vector<double> sums = rows.sum();
    EXPECT_EQ(sums[0], entry["num_edits"]);
    EXPECT_EQ(sums[1], entry["ref_length"]);
    EXPECT_DOUBLE_EQ(metric->score(sums), entry["score"]);
    EXPECT_EQ(fmt::format("{} = {:.{}f}", metric->name(), metric->score(sums), metric->decimals()),
              entry["printed"]);
    EXPECT_EQ(signature(*metric, files.size()), entry["signature"]);
    check_lines(entry, *metric, rows);
    ++entries;
  }
  EXPECT_EQ(entries, 20);
}

// ---- words

TEST(TerTokenizer, OnlyCaseByDefault) {
  EXPECT_EQ(joined("Don't  \"Stop\", &amp; İ!", {}), "don't \"stop\", &amp; i\u0307!");
  EXPECT_EQ(joined("Don't Stop", {.case_sensitive = true}), "Don't Stop");
}

TEST(TerTokenizer, PunctuationIsSetOff) {
  EXPECT_EQ(normalized("(a+b)=c? [x]/{y}~`_^"), "( a + b ) = c ? [ x ] / { y } ~ ` _ ^");
  EXPECT_EQ(normalized("well-known don't"), "well-known don't");
  EXPECT_EQ(normalized("&quot;x&quot; &lt;y&gt; a&amp;b"), "\" x \" < y > a & b");
  EXPECT_EQ(normalized("&amp;lt; &amp;quot; &amp;amp;"), "< & quot ; & amp ;");
  EXPECT_EQ(normalized("café."), "café .");
  EXPECT_EQ(normalized(".é"), ". é");
}

TEST(TerTokenizer, Possessives) {
  EXPECT_EQ(normalized("John's cat's"), "john 's cat 's");
  EXPECT_EQ(normalized("it's!"), "it 's !");
  EXPECT_EQ(normalized("it's."), "it's .");  // the period is still part of the word at that point
  EXPECT_EQ(normalized("it's\u00a0"), "it 's");
  EXPECT_EQ(normalized("it's\u00a0x"), "it's x");
}

TEST(TerTokenizer, PeriodsCommasAndDashesAmongDigits) {
  EXPECT_EQ(normalized("1,000.50 costs .5 or 5."), "1,000.50 costs . 5 or 5 .");
  EXPECT_EQ(normalized("a,b 1,b a,1"), "a , b 1 , b a , 1");
  EXPECT_EQ(normalized("1990-95 a-1"), "1990 - 95 a-1");
  EXPECT_EQ(normalized("end..."), "end . . .");
  EXPECT_EQ(normalized("a..b"), "a . . b");
  EXPECT_EQ(normalized("a..1 b.1"), "a . .1 b . 1");  // only the first of two is seen behind `a`
  EXPECT_EQ(normalized("1-2-3"), "1 - 2 - 3");
}

TEST(TerTokenizer, AsianWriting) {
  TerOptions asian{.normalized = true, .asian_support = true};
  EXPECT_EQ(joined("東京は、日本（首都）です。", asian), "東 京 は 、 日 本 （ 首 都 ） です 。");
  EXPECT_EQ(joined("東京は、日本。", {.normalized = true}), "東京は、日本。");
  EXPECT_EQ(joined("ひらがなカタカナ", asian), "ひらがなカタカナ");
  EXPECT_EQ(joined("ｶﾅ･㈱", asian), "ｶﾅ ･ ㈱");
  EXPECT_EQ(joined("東京", {.asian_support = true}), "東京");  // only where text is normalised
}

TEST(TerTokenizer, PunctuationLeftOut) {
  EXPECT_EQ(joined("\"Yes,\" (he) said: no; 1.5 ! ?", {.no_punct = true}), "yes he said no 15");
  EXPECT_EQ(joined("a.b - c", {.normalized = true, .no_punct = true}), "a b - c");
  EXPECT_EQ(joined("東、京。", {.no_punct = true}), "東、京。");
  EXPECT_EQ(joined("東、京。", {.no_punct = true, .asian_support = true}), "東京");
}

// ---- edits

TEST(Ter, ABlockMovedIsOneEdit) {
  EXPECT_EQ(sentence_score("c d e a b", {"a b c d e"}), 100.0 / 5);
  EXPECT_EQ(sentence_score("a b c d", {"a b c d"}), 0.0);
  EXPECT_EQ(sentence_score("a b x d", {"a b c d"}), 25.0);
  EXPECT_EQ(sentence_score("b a", {"a b"}), 50.0);
}

TEST(Ter, EmptySentences) {
  EXPECT_EQ(sentence_score("", {"a b"}), 100.0);
  EXPECT_EQ(sentence_score("a b c", {""}), 100.0);
  EXPECT_EQ(sentence_score("", {""}), 0.0);
  EXPECT_EQ(sentence_score(" \u2003 ", {"a"}), 100.0);
  EXPECT_EQ(sentence_score("a b", {"", "a c"}), 100.0);  // one edit, one word on average
  auto metric = make_ter({});
  EXPECT_EQ(metric->score(std::vector<double>(2)), 0.0);
}

TEST(Ter, FewestEditsAndAverageLength) {
  auto metric = make_ter({});
  std::vector<double> row(metric->row_size());
  std::vector<std::string_view> references = {"a x y z", "a b c", "q"};
  metric->measure({"a b", references}, row);
  EXPECT_EQ(row, (std::vector<double>{1.0, 8.0 / 3.0}));
}

TEST(Ter, CaseIsUnicode) {
  std::vector<std::string_view> reference = {"i\u0307stanbul straße ὀδυσσεύς"};
  std::string_view hypothesis = "İSTANBUL\u3000STRAẞE\u00a0ὈΔΥΣΣΕΎΣ";
  EXPECT_EQ(sentence_score(hypothesis, reference), 0.0);
  EXPECT_EQ(sentence_score(hypothesis, reference, {.case_sensitive = true}), 100.0);
}

// ---- the search for shifts, played in full
//
// Every shift is tried by making the shifted sentence and working out its whole table, in the order
// and with the limits of sacreBLEU.

constexpr int64_t kOutside = int64_t{1} << 40;

struct Table {
  std::vector<std::vector<int64_t>> costs;
  std::vector<std::vector<char>> steps;  // m: both, d: a hypothesis word, i: a reference word
};

Table plain_table(const Sentence& hypothesis, const Sentence& reference) {
  size_t columns = reference.size() + 1;
  Table table{.costs = std::vector(hypothesis.size() + 1, std::vector<int64_t>(columns, kOutside)),
              .steps = std::vector(hypothesis.size() + 1, std::vector<char>(columns, 'i'))};
  for (size_t j = 0; j < columns; ++j) table.costs[0][j] = static_cast<int64_t>(j);
  double slope = static_cast<double>(reference.size()) / static_cast<double>(hypothesis.size());
  auto beam = static_cast<int64_t>(slope / 2 > 25 ? std::ceil(slope / 2 + 25) : 25);
  for (size_t i = 1; i <= hypothesis.size(); ++i) {
    auto diagonal = static_cast<int64_t>(std::floor(static_cast<double>(i) * slope));
    for (size_t j = 0; j < columns; ++j) {
      auto column = static_cast<int64_t>(j);
      bool too_far_right = column >= diagonal + beam && i < hypothesis.size();
      if (column < diagonal - beam || too_far_right) continue;
      auto offer = [&](int64_t cost, char step) {
        if (cost >= table.costs[i][j]) return;
        table.costs[i][j] = cost;
        table.steps[i][j] = step;
      };
      if (j > 0) {
        bool differ = hypothesis[i - 1] != reference[j - 1];
        offer(table.costs[i - 1][j - 1] + (differ ? 1 : 0), 'm');
      }
      offer(table.costs[i - 1][j] + 1, 'd');
      if (j > 0) offer(table.costs[i][j - 1] + 1, 'i');
    }
  }
  return table;
}

int64_t plain_distance(const Sentence& hypothesis, const Sentence& reference) {
  return plain_table(hypothesis, reference).costs.back().back();
}

struct Matches {
  std::vector<int> hypothesis_of;
  std::vector<int> hypothesis_errors;
  std::vector<int> reference_errors;
};

Matches plain_matches(const Sentence& hypothesis, const Sentence& reference) {
  Table table = plain_table(hypothesis, reference);
  Matches matches{std::vector<int>(reference.size()), std::vector<int>(hypothesis.size()),
                  std::vector<int>(reference.size())};
  size_t i = hypothesis.size();
  size_t j = reference.size();
  while (i > 0 || j > 0) {
    char step = table.steps[i][j];
    if (step != 'i') --i;
    if (step != 'd') --j;
    bool differ = step != 'm' || hypothesis[i] != reference[j];
    if (step != 'i') matches.hypothesis_errors[i] = differ;
    if (step != 'd') matches.reference_errors[j] = differ;
    if (step != 'd') matches.hypothesis_of[j] = static_cast<int>(i) - (step == 'i' ? 1 : 0);
  }
  return matches;
}

Sentence shifted(const Sentence& words, int start, int length, int target) {
  Sentence block(words.begin() + start, words.begin() + start + length);
  Sentence result = words;
  result.erase(result.begin() + start, result.begin() + start + length);
  int place = target;
  if (target > start + length) place = target - length;
  place = std::min(place, static_cast<int>(result.size()));
  result.insert(result.begin() + place, block.begin(), block.end());
  return result;
}

int64_t plain_edits(Sentence hypothesis, const Sentence& reference) {
  int64_t shifts = 0;
  int trials = 0;
  while (true) {
    Matches matches = plain_matches(hypothesis, reference);
    int64_t before = plain_distance(hypothesis, reference);
    using Rank = std::tuple<int64_t, int, int, int, Sentence>;
    Rank best{std::numeric_limits<int64_t>::min(), 0, 0, 0, {}};
    auto sum = [](const std::vector<int>& errors, int start, int length) {
      return std::count(errors.begin() + start, errors.begin() + start + length, 1);
    };
    int words = static_cast<int>(hypothesis.size());
    int places = static_cast<int>(reference.size());
    for (int start = 0; start < words && trials < 1000; ++start) {
      for (int place = 0; place < places && trials < 1000; ++place) {
        if (std::abs(start - place) > 50) continue;
        for (int length = 1; length <= 10 && trials < 1000; ++length) {
          if (start + length > words || place + length > places) break;
          if (hypothesis[start + length - 1] != reference[place + length - 1]) break;
          if (sum(matches.hypothesis_errors, start, length) == 0) continue;
          if (sum(matches.reference_errors, place, length) == 0) continue;
          int counterpart = matches.hypothesis_of[place];
          if (start <= counterpart && counterpart < start + length) continue;
          int previous = -1;
          for (int i = place - 1; i < place + length; ++i) {
            int target = i < 0 ? 0 : matches.hypothesis_of[i] + 1;
            if (target == previous) continue;
            previous = target;
            Sentence moved = shifted(hypothesis, start, length, target);
            int64_t saved = before - plain_distance(moved, reference);
            best = std::max(best, Rank{saved, length, -start, -target, moved});
            ++trials;
          }
        }
      }
    }
    if (trials >= 1000 || std::get<0>(best) <= 0) break;
    hypothesis = std::get<4>(best);
    ++shifts;
  }
  return shifts + plain_distance(hypothesis, reference);
}

Sentence random_words(RandomStream& random, uint64_t count, uint64_t distinct) {
  Sentence words;
  for (; count > 0; --count) words.push_back(static_cast<int>(random.below(distinct)));
  return words;
}

/// A sentence with blocks moved and words dropped and replaced.
Sentence corrupted(Sentence words, RandomStream& random, uint64_t changes, uint64_t distinct) {
  for (; changes > 0 && words.size() > 2; --changes) {
    auto at = [&] { return words.begin() + static_cast<int64_t>(random.below(words.size())); };
    switch (random.below(4)) {
      case 0:
        words.erase(at());
        break;
      case 1:
        *at() = static_cast<int>(random.below(distinct));
        break;
      default:
        auto ends = {at(), at(), at()};
        std::vector sorted(ends);
        std::sort(sorted.begin(), sorted.end());
        std::rotate(sorted[0], sorted[1], sorted[2]);
    }
  }
  return words;
}

TEST(TerShifts, ShortSentences) {
  RandomStream random(1, Purpose::kTest, 521);
  for (int round = 0; round < 3000; ++round) {
    uint64_t distinct = 2 + random.below(20);
    Sentence reference = random_words(random, 1 + random.below(16), distinct);
    Sentence hypothesis = round % 2 == 0
                              ? random_words(random, 1 + random.below(16), distinct)
                              : corrupted(reference, random, 1 + random.below(5), distinct);
    ASSERT_EQ(edits_with_shifts(hypothesis, reference), plain_edits(hypothesis, reference));
  }
}

TEST(TerShifts, LongSentencesMeetTheLimits) {
  RandomStream random(1, Purpose::kTest, 522);
  for (int round = 0; round < 25; ++round) {
    uint64_t distinct = round % 3 == 0 ? 10 : 400;
    Sentence reference = random_words(random, 70 + random.below(60), distinct);
    Sentence hypothesis = corrupted(reference, random, 1 + random.below(8), distinct);
    ASSERT_EQ(edits_with_shifts(hypothesis, reference), plain_edits(hypothesis, reference));
  }
}

TEST(TerShifts, LengthsFarApart) {
  RandomStream random(1, Purpose::kTest, 523);
  for (auto [words, places] : std::vector<std::pair<int, int>>{
           {1, 200}, {2, 150}, {3, 300}, {200, 1}, {150, 3}, {40, 160}, {160, 40}, {7, 60}}) {
    for (uint64_t distinct : {5, 30, 300}) {
      Sentence hypothesis = random_words(random, static_cast<uint64_t>(words), distinct);
      Sentence reference = random_words(random, static_cast<uint64_t>(places), distinct);
      ASSERT_EQ(edits_with_shifts(hypothesis, reference), plain_edits(hypothesis, reference))
          << words << ' ' << places;
    }
  }
}

TEST(TerShifts, TooFarToShift) {
  Sentence reference(120);
  for (int i = 0; i < 120; ++i) reference[i] = i;
  Sentence near = reference;
  std::rotate(near.begin(), near.begin() + 1, near.begin() + 40);
  EXPECT_EQ(edits_with_shifts(near, reference), 1);
  Sentence far = reference;
  std::rotate(far.begin(), far.begin() + 1, far.begin() + 60);
  EXPECT_EQ(edits_with_shifts(far, reference), 2);
}

// ---- laws

TEST(Ter, IdentityIsFreeAndSentencesMaySwap) {
  auto metric = make_ter({});
  std::vector<std::string> hypotheses = golden_lines("hypA.txt");
  std::vector<std::string> lines = golden_lines("ref1.txt");
  EXPECT_EQ(metric->score(measure_text(*metric, lines, References({lines}), 2).sum()), 0.0);
  double there = metric->score(measure_text(*metric, hypotheses, References({lines}), 2).sum());
  std::reverse(hypotheses.begin(), hypotheses.end());
  std::reverse(lines.begin(), lines.end());
  double back = metric->score(measure_text(*metric, hypotheses, References({lines}), 1).sum());
  EXPECT_EQ(there, back);
}

TEST(Ter, SaysHowItWasMeasured) {
  TerOptions options;
  OptionSet set;
  options.declare(set);
  for (const char* name :
       {"ter-normalized", "ter-no-punct", "ter-asian-support", "ter-case-sensitive"}) {
    set.set(name, "true", "test");
  }
  auto metric = make_ter(options);
  EXPECT_EQ(metric->settings(), (Settings{{"case", "mixed"},
                                          {"tok", "tercom"},
                                          {"norm", "yes"},
                                          {"punct", "no"},
                                          {"asian", "yes"}}));
  EXPECT_EQ(metric->details(std::vector<double>{607.0, 2491.5}), "(edits = 607 ref_len = 2491.5)");
}

}  // namespace
}  // namespace bough
