#include "bough/bench/growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "bough/analysis/chart.h"
#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/bench/decoding.h"

namespace bough {

namespace {

constexpr int64_t kLength = 12;  // words of a sentence, where that isn't what grows

/// What a sentence costs at some size.
struct Cost {
  double milliseconds = 0.0;
  double gemm_share = 0.0;
};

Cost cost_of(const nlohmann::ordered_json& report, double sentences = 1.0) {
  return {1000.0 * sentences / report.at("sentences_per_second").at("median").get<double>(),
          report.at("gemm_share")};
}

/// Training; `set` says what has which size.
template <typename Set>
auto training(Set set, bool whole_batch = false) {
  return [=](const GrowthBenchOptions& options, int64_t size) {
    TrainBenchOptions one;
    one.preset = options.preset;
    one.length = kLength;
    one.seed = options.seed;
    one.repeats = options.repeats;
    one.seconds = options.seconds;
    set(one, size);
    return cost_of(bench_train(one, [](const std::string&) {}),
                   whole_batch ? static_cast<double>(one.batch_size) : 1.0);
  };
}

/// Search with so many trees for a sentence; 64 are written side by side in all.
Cost search(const GrowthBenchOptions& options, int64_t trees) {
  BenchOptions sizes;
  sizes.preset = options.preset;
  std::unique_ptr<Policy> policy = make_policy({.options = sizes.policy(),
                                                .vocabulary = sizes.words(),
                                                .seed = static_cast<uint64_t>(options.seed)});
  DecodingBench bench(
      *policy, {.count = 256, .length = kLength, .seed = static_cast<uint64_t>(options.seed)});
  DecodingWay way{.beam = trees};
  return cost_of(bench.measure({&way, 1}, options.repeats, [](const std::string&) {}).front());
}

/// One chart: values of one size, everything else as it is.
struct Growth {
  WorkSize work;
  std::string_view what;  // on the axis
  std::vector<int64_t> sizes;
  std::function<Cost(const GrowthBenchOptions& options, int64_t size)> measure;
  std::string_view title = "Training";
  std::string_view unit = "ms a sentence";
};

std::vector<Growth> all_growths() {
  return {
      {WorkSize::kLength,
       "words of a sentence",
       {6, 12, 24, 48, 96},
       training([](auto& options, int64_t size) { options.length = size; })},
      {WorkSize::kVocabulary,
       "words of the vocabulary",
       {5'000, 10'000, 20'000, 40'000, 80'000},
       training([](auto& options, int64_t size) { options.vocabulary = size; })},
      {WorkSize::kBatch,
       "sentences of a batch",
       {1, 8, 16, 32, 64, 128},
       training([](auto& options, int64_t size) { options.batch_size = size; }, true),
       "Training",
       "ms a batch"},
      {WorkSize::kModel,
       "units of a layer",
       {128, 256, 512, 1024},
       training([](auto& options, int64_t size) { options.hidden_size = size; })},
      {WorkSize::kBeam, "trees side by side", {1, 2, 4, 8, 16, 32}, search, "Searching"},
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
      auto [milliseconds, share] = growth.measure(options, size);
      auto x = static_cast<double>(size);
      measured.points.emplace_back(x, milliseconds);
      bound.points.emplace_back(x, milliseconds * share);
      report["growth"][std::string(name)].push_back(
          {{"size", size}, {"milliseconds", milliseconds}, {"gemm_share", share}});
      note(fmt::format("{} {}: {:.3g} ms, a share of {:.2f}", name, size, milliseconds, share));
    }
    LineChart chart{.title = fmt::format("{} by {}", growth.title, growth.what),
                    .x_label = std::string(growth.what),
                    .y_label = std::string(growth.unit),
                    .series = {std::move(measured), std::move(bound)}};
    write_file(fs::path(options.output) / fmt::format("growth-{}.svg", name), draw_chart(chart));
  }
  return report;
}

}  // namespace bough
