#include "bough/bench/meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace bough {

namespace {

template <typename Item, typename Function>
std::vector<double> each(const std::vector<Item>& items, Function value) {
  std::vector<double> values;
  for (const Item& item : items) values.push_back(value(item));
  return values;
}

}  // namespace

double rounded(double value) {
  return std::stod(fmt::format("{:.5g}", value));
}

nlohmann::ordered_json spread(const std::vector<double>& values) {
  return {{"median", rounded(median(values))},
          {"low", rounded(*std::min_element(values.begin(), values.end()))},
          {"high", rounded(*std::max_element(values.begin(), values.end()))}};
}

void Meter::reset_peak_memory() {
  std::ofstream("/proc/self/clear_refs") << '5';
}

double Meter::peak_memory_mb() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.rfind("VmHWM:", 0) != 0) continue;
    double kilobytes = 0.0;
    std::istringstream(line.substr(6)) >> kilobytes;
    return kilobytes / 1024.0;
  }
  return 0.0;
}

double Meter::gflops() const {
  return median(each(runs_, [](const BenchRun& run) { return run.useful_gflop / run.seconds; }));
}

nlohmann::ordered_json Meter::to_json() const {
  GemmRate rate = machine_.rate();
  nlohmann::ordered_json json;
  json["runs"] = runs_.size();
  json["sentences_per_second"] =
      spread(each(runs_, [](const BenchRun& run) { return run.sentences / run.seconds; }));
  json["steps_per_second"] =
      spread(each(runs_, [](const BenchRun& run) { return run.steps / run.seconds; }));
  json["gflops"] =
      spread(each(runs_, [](const BenchRun& run) { return run.useful_gflop / run.seconds; }));
  json["gemm_gflops"] = {{"blas", rounded(rate.blas)}, {"onednn", rounded(rate.onednn)}};
  json["gemm_share"] = rounded(gflops() / rate.best());
  json["peak_memory_mb"] = rounded(peak_memory_mb_);
  return json;
}

}  // namespace bough
