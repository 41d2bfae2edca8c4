// Draws, intervals and p-values against sacreBLEU 2.6.0 (and so NumPy).
#include "bough/metrics/significance.h"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bough/metrics/bleu.h"
#include "bough/metrics/chrf.h"
#include "bough/metrics/numpy_random.h"
#include "bough/metrics/ter.h"
#include "golden_metrics.h"

namespace bough {
namespace {

using nlohmann::json;

constexpr uint64_t kSeed = 12345;

TEST(NumpyRandom, DrawsNumpysIndices) {
  NumpyRandom random(kSeed);
  size_t rows = 0;
  for (const std::string& line : golden_lines("bootstrap_indices_first100.txt")) {
    std::istringstream numbers(line);
    uint32_t expected = 0;
    size_t columns = 0;
    for (; numbers >> expected; ++columns) ASSERT_EQ(random.below(300), expected) << rows;
    EXPECT_EQ(columns, 300U);
    ++rows;
  }
  EXPECT_EQ(rows, 100U);
}

struct Systems {
  References references;
  std::vector<std::string> first = golden_lines("hypA.txt");
  std::vector<std::string> second = golden_lines("hypB.txt");
};

std::vector<std::pair<std::string, std::unique_ptr<Metric>>> metrics() {
  std::vector<std::pair<std::string, std::unique_ptr<Metric>>> result;
  result.emplace_back("BLEU", make_bleu({}));
  result.emplace_back("chrF2", make_chrf({}));
  result.emplace_back("TER", make_ter({}));
  return result;
}

TEST(Significance, BootstrapIsSacreBleus) {
  json golden = golden_json("sacrebleu_significance.json");
  for (size_t count : {1, 2}) {
    Systems systems{count == 1 ? golden_references({"ref1.txt"})
                               : golden_references({"ref1.txt", "ref2.txt"})};
    const json& expected = golden[count == 1 ? "bs_1ref" : "bs_2ref"];
    for (const auto& [name, metric] : metrics()) {
      Rows first = measure_text(*metric, systems.first, systems.references, 2);
      Rows second = measure_text(*metric, systems.second, systems.references, 2);
      std::vector<double> base = bootstrap_scores(*metric, first, 1000, kSeed, 2);
      std::vector<double> other = bootstrap_scores(*metric, second, 1000, kSeed, 2);
      // The reference sums in single precision; counts are exact in it, so only the last digits of
      // the scores differ.
      EXPECT_NEAR(confidence_interval(base).mean, expected[name][0]["mean"].get<double>(), 1e-5);
      EXPECT_NEAR(confidence_interval(base).half_width, expected[name][0]["ci"].get<double>(),
                  1e-5);
      EXPECT_NEAR(confidence_interval(other).mean, expected[name][1]["mean"].get<double>(), 1e-5);
      EXPECT_NEAR(confidence_interval(other).half_width, expected[name][1]["ci"].get<double>(),
                  1e-5);
      double difference = metric->score(first.sum()) - metric->score(second.sum());
      EXPECT_DOUBLE_EQ(bootstrap_p_value(base, other, difference),
                       expected[name][1]["p_value"].get<double>())
          << name << ", " << count;
    }
  }
}

TEST(Significance, EveryResampleIsSacreBleus) {
  json expected = golden_json("sacrebleu_significance.json")["bs_1ref_bleu_resamples"];
  auto metric = make_bleu({});
  References references = golden_references({"ref1.txt"});
  for (const char* system : {"hypA", "hypB"}) {
    Rows rows = measure_text(*metric, golden_lines(std::string(system) + ".txt"), references, 2);
    std::vector<double> scores = bootstrap_scores(*metric, rows, 1000, kSeed, 3);
    ASSERT_EQ(scores.size(), expected[system].size());
    for (size_t i = 0; i < scores.size(); ++i) {
      EXPECT_NEAR(scores[i], expected[system][i].get<double>(), 1e-9);
    }
  }
}

TEST(Significance, RandomisationIsSacreBleus) {
  json golden = golden_json("sacrebleu_significance.json");
  for (size_t count : {1, 2}) {
    Systems systems{count == 1 ? golden_references({"ref1.txt"})
                               : golden_references({"ref1.txt", "ref2.txt"})};
    const json& expected = golden[count == 1 ? "ar_1ref" : "ar_2ref"];
    for (const auto& [name, metric] : metrics()) {
      Rows first = measure_text(*metric, systems.first, systems.references, 2);
      Rows second = measure_text(*metric, systems.second, systems.references, 2);
      EXPECT_DOUBLE_EQ(randomisation_p_value(*metric, first, second, 1000, kSeed, 2),
                       expected[name][1]["p_value"].get<double>())
          << name << ", " << count;
    }
  }
}

TEST(Significance, DoesNotHangOnTheNumberOfThreads) {
  auto metric = make_bleu({});
  References references = golden_references({"ref1.txt"});
  Rows rows = measure_text(*metric, golden_lines("hypA.txt"), references, 3);
  EXPECT_EQ(bootstrap_scores(*metric, rows, 100, 7, 1), bootstrap_scores(*metric, rows, 100, 7, 4));
}

TEST(Significance, OfASystemAgainstItselfIsNone) {
  auto metric = make_bleu({});
  References references = golden_references({"ref1.txt"});
  Rows rows = measure_text(*metric, golden_lines("hypA.txt"), references, 2);
  std::vector<double> scores = bootstrap_scores(*metric, rows, 200, kSeed, 2);
  EXPECT_DOUBLE_EQ(bootstrap_p_value(scores, scores, 0), 1);
  EXPECT_DOUBLE_EQ(randomisation_p_value(*metric, rows, rows, 200, kSeed, 2), 1);
}

}  // namespace
}  // namespace bough
