// Repeated runs of a benchmark, with the machine's own speed and the memory taken between them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bough/bench/gemm_rate.h"

namespace bough {

/// Called with a line for people while a benchmark runs.
using BenchNote = std::function<void(const std::string&)>;

/// What one run did.
struct BenchRun {
  double seconds = 0.0;
  double sentences = 0.0;
  double steps = 0.0;
  double useful_gflop = 0.0;
};

/// To five digits, however small it is: what reports print.
double rounded(double value);

/// Median, lowest and highest.
nlohmann::ordered_json spread(const std::vector<double>& values);

class Meter {
 public:
  /// Measures `run` and, before and after it, the rate of a 2048³ product.
  template <typename Run>
  void measure(Run run) {
    if (runs_.empty()) machine_.measure(kGemmSeconds);
    reset_peak_memory();
    runs_.push_back(run());
    peak_memory_mb_ = std::max(peak_memory_mb_, peak_memory_mb());
    machine_.measure(kGemmSeconds);
  }

  double gflops() const;

  /// Medians with their spread, the machine's rates, the share of them, peak memory.
  nlohmann::ordered_json to_json() const;

 private:
  static constexpr double kGemmSeconds = 0.3;

  static void reset_peak_memory();
  static double peak_memory_mb();

  std::vector<BenchRun> runs_;
  GemmMeter machine_{GemmShape{}};
  double peak_memory_mb_ = 0.0;
};

/// So many runs, with a word after each.
template <typename Run>
Meter measure_runs(int64_t repeats, const BenchNote& note, Run run) {
  Meter meter;
  for (int64_t i = 0; i < repeats; ++i) {
    meter.measure(run);
    note(fmt::format("run {} of {}: {:.0f} GFLOP/s", i + 1, repeats, meter.gflops()));
  }
  return meter;
}

}  // namespace bough
