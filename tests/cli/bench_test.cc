// `bough bench`: what it prints fits together. How fast the machine is, is no test's business.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "tiny_models.h"

namespace bough {
namespace {

using Json = nlohmann::json;

Json report_of(const Words& call) {
  Outcome outcome = bough(call + Words{"--json", "--quiet"});
  EXPECT_TRUE(fine(outcome));
  return Json::parse(outcome.out);
}

double median(const Json& report, const char* name) {
  const Json& spread = report.at(name);
  EXPECT_LE(spread.at("low"), spread.at("median"));
  EXPECT_LE(spread.at("median"), spread.at("high"));
  EXPECT_GT(spread.at("low"), 0.0);
  return spread.at("median");
}

/// Operations of one step forward: two layers, the projection, the words.
double step_flops(double hidden, double width, double vocabulary) {
  return 8.0 * hidden * (width + hidden) + 8.0 * hidden * 2.0 * hidden + 2.0 * hidden * width +
         2.0 * width * vocabulary;
}

void expect_share(const Json& report) {
  const Json& rates = report.at("gemm_gflops");
  double best = std::max(rates.at("blas").get<double>(), rates.at("onednn").get<double>());
  EXPECT_GT(best, 0.0);
  EXPECT_NEAR(report.at("gemm_share").get<double>(), median(report, "gflops") / best, 0.001);
  EXPECT_GT(report.at("peak_memory_mb"), 50.0);
  EXPECT_EQ(report.at("shapes").size(), 3U);
}

TEST(Bench, TrainingCountsTheArithmeticOfItsSteps) {
  for (const char* oracle : {"left-right", "annealed"}) {
    Json report = report_of({"bench", "train", "--preset", "small-lstm", "--batch-size", "8",
                             "--oracle", oracle, "--repeats", "1", "--seconds", "0.05"});
    double work = 3e-9 * step_flops(256, 128, 5000);
    EXPECT_NEAR(median(report, "gflops") / (work * median(report, "steps_per_second")), 1.0, 0.02);
    // 2 N + 1 steps a sentence, 1 to 27 words
    double steps = median(report, "steps_per_second") / median(report, "sentences_per_second");
    EXPECT_GT(steps, 3.0);
    EXPECT_LT(steps, 55.0);
    double shares = 0.0;
    for (const auto& [phase, share] : report.at("phases").items()) shares += share.get<double>();
    EXPECT_NEAR(shares, 1.0, 0.01);
    EXPECT_EQ(report.at("phases").size(), 7U);
    EXPECT_GT(report.at("phases").at("backward"), 0.0);
    expect_share(report);
  }
}

TEST(Bench, ALengthAndAVocabularyCanBeGiven) {
  Json report =
      report_of({"bench", "train", "--preset", "small-lstm", "--batch-size", "4", "--length", "5",
                 "--vocabulary", "700", "--repeats", "1", "--seconds", "0.01"});
  EXPECT_EQ(report.at("vocabulary"), 700);
  EXPECT_NEAR(median(report, "steps_per_second") / median(report, "sentences_per_second"), 11.0,
              0.1);
  double work = 3e-9 * step_flops(256, 128, 700);
  EXPECT_NEAR(median(report, "gflops") / (work * median(report, "steps_per_second")), 1.0, 0.05);
}

TEST(Bench, WordsMayComeWithTheirSides) {
  Json report = report_of({"bench", "train", "--preset", "small-lstm", "--shape", "arity",
                           "--batch-size", "4", "--length", "5", "--vocabulary", "700", "--repeats",
                           "1", "--seconds", "0.01"});
  EXPECT_EQ(report.at("shape"), "arity");
  EXPECT_NEAR(median(report, "steps_per_second") / median(report, "sentences_per_second"), 5.0,
              0.1);
}

TEST(Bench, GenerationCountsTheStepsOfItsSentences) {
  for (const char* precision : {"float", "int8"}) {
    Json report = report_of({"bench", "generate", "--preset", "small-lstm", "--batch-size", "16",
                             "-n", "200", "--precision", precision, "--repeats", "1"});
    double work = 1e-9 * step_flops(256, 128, 5000);
    EXPECT_NEAR(median(report, "gflops") / (work * median(report, "steps_per_second")), 1.0, 0.02);
    EXPECT_NEAR(median(report, "steps_per_second") / median(report, "sentences_per_second"),
                2.0 * report.at("words_per_sentence").get<double>() + 1.0, 0.5);
    expect_share(report);
    EXPECT_EQ(report.contains("precision_loss"), std::string(precision) == "int8");
  }
}

TEST(Bench, AModelOfOnesOwnCanBeMeasured) {
  Json report = report_of({"bench", "generate", "--model", oracle_model("uniform"), "-n", "50",
                           "--precision", "int8", "--repeats", "1"});
  EXPECT_LT(report.at("precision_loss").at("logprob_per_step"), 0.05);
  EXPECT_GT(report.at("precision_loss").at("same_best_action"), 0.9);
}

TEST(Bench, ReportsForPeopleSayTheSame) {
  Outcome outcome = bough({"bench", "train", "--preset", "small-lstm", "--batch-size", "4",
                           "--repeats", "1", "--seconds", "0.01", "--quiet"});
  EXPECT_TRUE(fine(outcome));
  for (const char* part :
       {"small-lstm", "sentences", "GFLOP/s", "gemm_share", "peak memory", "rollin", "optimizer"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part;
  }
}

TEST(Bench, WrongNamesAreRefused) {
  EXPECT_EQ(bough({"bench", "train", "--preset", "huge"}).exit_code, 2);
  EXPECT_EQ(bough({"bench", "trian"}).exit_code, 2);
  EXPECT_EQ(bough({"bench"}).exit_code, 2);
}

TEST(Bench, TranslateMeasuresTrainingAndDecoding) {
  Json report =
      report_of({"bench", "translate", "--vocabulary", "300", "--batch-size", "4", "--length", "5",
                 "--seconds", "0.01", "--repeats", "1", "-n", "8", "--threads", "1"});
  EXPECT_EQ(report["bench"], "translate");
  EXPECT_EQ(report["oracle"], "annealed");
  std::map<std::string, Json> parts = {{"training", report}};
  for (const Json& way : report["decoding"]) {
    parts[fmt::format("{} {} {}", way["way"].get<std::string>(),
                      way["precision"].get<std::string>(), way["batch_size"].get<int>())] = way;
  }
  // Float and int8: greedily, with all words and some, one and many; by a search; by a vote.
  ASSERT_EQ(parts.size(), 1U + 2U * (4U + 2U));
  for (const auto& [name, part] : parts) {
    EXPECT_GT(part["gemm_share"], 0.0) << name;
    EXPECT_GT(part["sentences_per_second"]["median"], 0.0) << name;
    double trees = name.starts_with("beam 5") ? 5.0 : name.starts_with("vote 16") ? 16.0 : 1.0;
    EXPECT_NEAR(part["steps_per_second"]["median"].get<double>() /
                    part["sentences_per_second"]["median"].get<double>() / trees,
                11.0, 0.2)  // five words; rates are rounded
        << name;
    bool compared = name != "training" && !name.starts_with("greedy");
    EXPECT_EQ(part.contains("greedy_sentences"), compared) << name;
    bool alone = name.starts_with("greedy") && name.ends_with(" 1");
    EXPECT_EQ(part.contains("memory"), alone) << name;
  }
  const Json& floats = parts.at("greedy float 1")["memory"];
  double megabytes = floats["weights_mb_per_step"];
  EXPECT_NEAR(parts.at("greedy int8 1")["memory"]["weights_mb_per_step"].get<double>(),
              megabytes / 4, 1e-3 * megabytes);
  EXPECT_GT(floats["share"], 0.0);
  EXPECT_TRUE(refused(bough({"bench", "translate", "--preset", "small-lstm"}), 2, {"transformer"}));
}

TEST(Bench, GrowthDrawsItsCharts) {
  TempFolder folder;
  Json report =
      report_of({"bench", "growth", "-o", folder.path().string(), "--only", "model", "--seconds",
                 "0", "--repeats", "1", "--preset", "small-lstm", "--threads", "1"});
  ASSERT_EQ(report.at("growth").size(), 1U);
  const Json& points = report.at("growth").at("model");
  ASSERT_EQ(points.size(), 4U);
  for (const Json& point : points) EXPECT_GT(point.at("gemm_share"), 0.0);
  std::string chart = read_file(folder.path() / "growth-model.svg");
  EXPECT_EQ(chart.rfind("<svg", 0), 0U);
  for (const char* part : {"measured", "GEMM rate", "units of a layer"}) {
    EXPECT_NE(chart.find(part), std::string::npos) << part;
  }
  EXPECT_TRUE(refused(bough({"bench", "growth", "-o", "no-such-folder"}), 2, {"no-such-folder"}));
}

TEST(Bench, GrowthOfASearchIsByItsTrees) {
  TempFolder folder;
  Json report = report_of({"bench", "growth", "-o", folder.path().string(), "--only", "beam",
                           "--repeats", "1", "--threads", "1"});
  const Json& points = report.at("growth").at("beam");
  ASSERT_EQ(points.size(), 6U);
  EXPECT_EQ(points.back().at("size"), 32);
  for (const Json& point : points) EXPECT_GT(point.at("gemm_share"), 0.0);
  EXPECT_NE(read_file(folder.path() / "growth-beam.svg").find("Searching by trees side by side"),
            std::string::npos);
}

TEST(Bench, EvaluationNamesEveryMetric) {
  Json report = report_of({"bench", "eval", "--pairs", "200", "--repeats", "2"});
  EXPECT_EQ(report.at("metrics").size(), 11U);  // yisi1 needs vectors; samples come on top
  double rate = report.at("gemm_gflops");
  for (const auto& [name, entry] : report.at("metrics").items()) {
    EXPECT_NEAR(entry.at("sentences_per_gflop"), median(entry, "sentences_per_second") / rate,
                0.06 + 0.01 * entry.at("sentences_per_gflop").get<double>())
        << name;
  }
  report = report_of({"bench", "eval", "--pairs", "100", "--repeats", "1", "-m", "bleu", "ter"});
  EXPECT_EQ(report.at("metrics").size(), 2U);
  EXPECT_TRUE(refused(bough({"bench", "eval", "-m", "yisi1", "--quiet"}), 2, {"yisi0"}));
}

TEST(Bench, ScoringSharesSteps) {
  Json report = report_of({"bench", "score", "--preset", "small-lstm", "--vocabulary", "200", "-n",
                           "5", "--length", "4", "--samples", "8", "--repeats", "1"});
  EXPECT_EQ(report["bench"], "score");
  double steps = report["steps_per_second"]["median"].get<double>();
  double sentences = report["sentences_per_second"]["median"].get<double>();
  EXPECT_GE(steps, 9.0 * sentences * 0.99);
  EXPECT_LE(steps, 8.0 * 9.0 * sentences * 1.01);
  EXPECT_GT(report["gemm_share"].get<double>(), 0.0);
}

}  // namespace
}  // namespace bough
