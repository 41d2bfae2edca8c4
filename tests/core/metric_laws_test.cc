// What holds for every metric.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bough/metrics/metrics.h"
#include "golden_metrics.h"

namespace bough {
namespace {

struct Law {
  MetricKind kind;
  double full_marks;  // of a text that is its own reference
  double none;        // of empty lines against words; the worst there is
};

class EveryMetric : public testing::TestWithParam<Law> {
 protected:
  static std::unique_ptr<Metric> make(const References& references) {
    static const MetricTables kTables{
        .synonyms = std::make_shared<SynonymTable>("/usr/share/wordnet"),
        .vectors = std::make_shared<WordVectors>(golden_path("yisi_vec50_synthetic.txt").string())};
    return make_metric(GetParam().kind, MetricOptions{}, references, kTables);
  }

  static double score(std::span<const std::string> hypotheses, const References& references) {
    auto metric = make(references);
    return metric->score(measure_text(*metric, hypotheses, references, 1).sum());
  }
};

TEST_P(EveryMetric, GivesFullMarksToTheReference) {
  std::vector<std::string> lines = golden_lines("ref1.txt");
  EXPECT_NEAR(score(lines, References({lines})), GetParam().full_marks, 1e-9);
}

TEST_P(EveryMetric, GivesFullMarksToAnyOfTheReferences) {
  std::vector<std::string> lines = golden_lines("ref2.txt");
  double found = score(lines, References({golden_lines("ref1.txt"), lines}));
  EXPECT_NEAR(found, GetParam().full_marks, 1e-9);
}

TEST_P(EveryMetric, DoesNotHangOnTheOrderOfSentences) {
  std::vector<std::string> hypotheses = golden_lines("hypA.txt");
  std::vector<std::string> references = golden_lines("ref1.txt");
  double before = score(hypotheses, References({references}));
  std::rotate(hypotheses.begin(), hypotheses.begin() + 100, hypotheses.end());
  std::rotate(references.begin(), references.begin() + 100, references.end());
  EXPECT_NEAR(score(hypotheses, References({references})), before, 1e-9);
}

/// For a text this need not hold: of two references that are as good, METEOR and chrF sum up the
/// counts of the first.
TEST_P(EveryMetric, GivesASentenceTheSameInAnyOrderOfReferences) {
  std::vector<std::string> hypotheses = golden_lines("hypA.txt");
  References one = golden_references({"ref1.txt", "ref2.txt"});
  References other = golden_references({"ref2.txt", "ref1.txt"});
  auto metric = make(one);
  Rows rows = measure_text(*metric, hypotheses, one, 2);
  Rows other_rows = measure_text(*metric, hypotheses, other, 2);
  for (size_t line = 0; line < rows.lines(); ++line) {
    EXPECT_NEAR(metric->sentence_score(rows.of(line)), metric->sentence_score(other_rows.of(line)),
                1e-9);
  }
}

TEST_P(EveryMetric, DoesNotHangOnTheNumberOfThreads) {
  std::vector<std::string> hypotheses = golden_lines("hypB.txt");
  References references = golden_references({"ref1.txt"});
  auto metric = make(references);
  std::vector<double> alone = measure_text(*metric, hypotheses, references, 1).sum();
  EXPECT_EQ(measure_text(*metric, hypotheses, references, 4).sum(), alone);
}

TEST_P(EveryMetric, MeasuresASentenceAsATextOfOneLine) {
  std::vector<std::string> hypotheses = golden_lines("hypA.txt");
  References references = golden_references({"ref1.txt"});
  auto metric = make(references);
  Rows rows = measure_text(*metric, hypotheses, references, 2);
  for (size_t line = 0; line < 20; ++line) {
    std::vector<double> row(metric->row_size());
    metric->measure({hypotheses[line], references.of(line)}, row);
    EXPECT_EQ(row, std::vector<double>(rows.of(line).begin(), rows.of(line).end()));
  }
}

TEST_P(EveryMetric, BearsEmptyAndStrangeLines) {
  std::vector<std::string> strange = {
      "",          " ",        "\t\u00a0\u3000",       ".",
      "'",         "--",       "\u0301\u200d",         "🧑‍🚀🧑‍🚀",
      "שלום עולם", "他说今天", std::string(5000, 'a'), "a b c d e f g"};
  for (const std::string& hypothesis : strange) {
    for (const std::string& reference : strange) {
      std::vector<std::string> lines = {hypothesis};
      References references({std::vector<std::string>{reference}});
      auto metric = make(references);
      Rows rows = measure_text(*metric, lines, references, 1);
      EXPECT_TRUE(std::isfinite(metric->score(rows.sum()))) << hypothesis << " | " << reference;
      EXPECT_TRUE(std::isfinite(metric->sentence_score(rows.of(0))));
      EXPECT_EQ(metric->details(rows.sum()).find("nan"), std::string::npos);
    }
  }
}

TEST_P(EveryMetric, GivesNothingToEmptyLines) {
  std::vector<std::string> lines = {"", ""};
  EXPECT_NEAR(score(lines, References({std::vector<std::string>{"a b c d", "e f g h"}})),
              GetParam().none, 1e-9);
}

TEST_P(EveryMetric, NamesItsSettingsWithoutSeparators) {
  auto metric = make(golden_references({"ref1.txt"}));
  EXPECT_FALSE(metric->name().empty());
  EXPECT_FALSE(metric->settings().empty());
  for (const auto& [key, value] : metric->settings()) {
    EXPECT_EQ((key + value).find_first_of(":|\n"), std::string::npos) << key << value;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, EveryMetric,
    testing::Values(Law{MetricKind::kBleu, 100, 0}, Law{MetricKind::kChrf, 100, 0},
                    Law{MetricKind::kChrfPlusPlus, 100, 0}, Law{MetricKind::kTer, 0, 100},
                    Law{MetricKind::kRibes, 1, 0}, Law{MetricKind::kMeteor, 1, 0},
                    Law{MetricKind::kYisi0, 1, 0}, Law{MetricKind::kYisi1, 1, 0},
                    Law{MetricKind::kF1, 1, 0}, Law{MetricKind::kExactMatch, 1, 0},
                    Law{MetricKind::kEdit, 0, 4}),
    [](const auto& info) {
      std::string name(name_of(info.param.kind));
      std::replace(name.begin(), name.end(), '+', 'p');
      return name;
    });

/// Which metrics don't look at the order of words within a sentence, and which do.
TEST(WordOrder, IsSeenByAllButF1) {
  std::vector<std::string> sentence = {"the small dog ran to the old house today"};
  std::vector<std::string> mixed = {"house the ran old today small to dog the"};
  References references({sentence});
  EXPECT_EQ(EnumNames<MetricKind>::kNames.size(), 11U);
  for (MetricKind kind : {MetricKind::kBleu, MetricKind::kChrf, MetricKind::kChrfPlusPlus,
                          MetricKind::kTer, MetricKind::kRibes, MetricKind::kYisi0, MetricKind::kF1,
                          MetricKind::kExactMatch, MetricKind::kEdit}) {
    auto metric = make_metric(kind, {}, references, {});
    double right = metric->score(measure_text(*metric, sentence, references, 1).sum());
    double wrong = metric->score(measure_text(*metric, mixed, references, 1).sum());
    EXPECT_EQ(right == wrong, kind == MetricKind::kF1) << name_of(kind);
  }
}

}  // namespace
}  // namespace bough
