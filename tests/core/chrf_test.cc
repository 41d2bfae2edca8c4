// chrF against sacreBLEU 2.6.0.
#include "bough/metrics/chrf.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "golden_metrics.h"

namespace bough {
namespace {

using nlohmann::json;

ChrfOptions options_of(const json& args) {
  ChrfOptions options;
  options.word_order = args.value("word_order", options.word_order);
  options.beta = args.value("beta", options.beta);
  options.lowercase = args.value("lowercase", false);
  options.whitespace = args.value("whitespace", false);
  options.eps_smoothing = args.value("eps_smoothing", false);
  return options;
}

TEST(Chrf, IsSacreBleus) {
  size_t entries = 0;
  for (const json& entry : golden_json("sacrebleu_chrf_ter.json")) {
    if (entry["metric"] == "TER") continue;
    auto metric = make_chrf(options_of(entry["args"]));
    std::vector<std::string> files;
    for (const std::string file : entry["refs"]) files.push_back(file + ".txt");
    std::vector<std::string> hypotheses = golden_lines(entry["hyp"].get<std::string>() + ".txt");
    Rows rows = measure_text(*metric, hypotheses, golden_references(files), 2);
    EXPECT_NEAR(metric->score(rows.sum()), entry["score"].get<double>(), 1e-10) << entry["args"];
    EXPECT_EQ(entry["printed"].get<std::string>().find(metric->name() + " = "), 0U);
    std::string signature = entry["signature"];
    for (const auto& [key, value] : metric->settings()) {
      EXPECT_NE(signature.find(key + ":" + value), std::string::npos) << signature;
    }
    if (entry.contains("sentence_scores")) {
      for (size_t i = 0; i < rows.lines(); ++i) {
        EXPECT_NEAR(metric->sentence_score(rows.of(i)), entry["sentence_scores"][i].get<double>(),
                    1e-10)
            << entry["args"] << ", line " << i + 1;
      }
    }
    ++entries;
  }
  EXPECT_EQ(entries, 36U);
}

}  // namespace
}  // namespace bough
