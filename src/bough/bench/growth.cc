#include "bough/bench/growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bough/analysis/chart.h"
#include "bough/base/error.h"
#include "bough/base/file.h"

namespace bough {

namespace {

/// One chart: values of one size, everything else as it is.
struct Growth {
  WorkSize work;
  std::string_view what;  // on the axis
  std::vector<int64_t> sizes;
  void (*set)(TrainBenchOptions& options, int64_t size);
  /// Sentences that a point's time is of: one, or a whole batch where that is what grows.
  bool whole_batch = false;
};

std::vector<Growth> all_growths() {
  return {
      {WorkSize::kLength,
       "words of a sentence",
       {6, 12, 24, 48, 96},
       [](auto& options, int64_t size) { options.length = size; }},
      {WorkSize::kVocabulary,
       "words of the vocabulary",
       {5'000, 10'000, 20'000, 40'000, 80'000},
       [](auto& options, int64_t size) { options.vocabulary = size; }},
      {WorkSize::kBatch,
       "sentences of a batch",
       {1, 8, 16, 32, 64, 128},
       [](auto& options, int64_t size) { options.batch_size = size; },
       true},
      {WorkSize::kModel,
       "units of a layer",
       {128, 256, 512, 1024},
       [](auto& options, int64_t size) { options.hidden_size = size; }},
  };
}

}  // namespace

nlohmann::ordered_json bench_growth(const GrowthBenchOptions& options, const BenchNote& note) {
  if (!fs::is_directory(options.output)) {
    throw UsageError("--output: '{}' is no folder", options.output);
  }
  nlohmann::ordered_json report = {{"bench", "growth"}, {"seed", options.seed}};
  for (const Growth& growth : all_growths()) {
    if (!options.only.empty() && std::ranges::count(options.only, growth.work) == 0) continue;
    std::string_view name = name_of(growth.work);
    Series measured{.name = "measured", .points = {}};
    Series bound{.name = "its arithmetic at the GEMM rate", .points = {}};
    for (int64_t size : growth.sizes) {
      TrainBenchOptions one;
      one.preset = options.preset;
      one.length = 12;
      one.seed = options.seed;
      one.repeats = options.repeats;
      one.seconds = options.seconds;
      growth.set(one, size);
      nlohmann::ordered_json run = bench_train(one, [](const std::string&) {});
      double rate = run.at("sentences_per_second").at("median");
      double share = run.at("gemm_share");
      double sentences = growth.whole_batch ? static_cast<double>(one.batch_size) : 1.0;
      double milliseconds = 1000.0 * sentences / rate;
      auto x = static_cast<double>(size);
      measured.points.emplace_back(x, milliseconds);
      bound.points.emplace_back(x, milliseconds * share);
      report["growth"][std::string(name)].push_back(
          {{"size", size}, {"milliseconds", milliseconds}, {"gemm_share", share}});
      note(fmt::format("{} {}: {:.3g} ms, a share of {:.2f}", name, size, milliseconds, share));
    }
    LineChart chart{.title = fmt::format("Training by {}", growth.what),
                    .x_label = std::string(growth.what),
                    .y_label = growth.whole_batch ? "ms a batch" : "ms a sentence",
                    .series = {std::move(measured), std::move(bound)}};
    write_file(fs::path(options.output) / fmt::format("growth-{}.svg", name), draw_chart(chart));
  }
  return report;
}

}  // namespace bough
