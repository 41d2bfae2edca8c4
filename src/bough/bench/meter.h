// Repeated runs of a benchmark, with the machine's own speed and the memory taken between them.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "bough/bench/gemm_rate.h"

namespace bough {

/// What one run did.
struct BenchRun {
  double seconds = 0.0;
  double sentences = 0.0;
  double steps = 0.0;
  double useful_gflop = 0.0;
};

class Meter {
 public:
  /// Measures `run`, and before and after it the rate of a 2048³ product: the speed of a shared
  /// machine changes from second to second.
  template <typename Run>
  void measure(Run run) {
    if (rates_.empty()) take_machine();
    reset_peak_memory();
    runs_.push_back(run());
    peak_memory_mb_ = std::max(peak_memory_mb_, peak_memory_mb());
    take_machine();
  }

  double gflops() const;

  /// Medians with their spread, the machine's rates, the share of them, peak memory.
  nlohmann::ordered_json to_json() const;

 private:
  static void reset_peak_memory();
  static double peak_memory_mb();
  void take_machine() { rates_.push_back(measure_gemm({}, kGemmSeconds)); }

  static constexpr double kGemmSeconds = 0.3;

  std::vector<BenchRun> runs_;
  std::vector<GemmRate> rates_;  // before run i: rates_[i], after it rates_[i + 1]
  double peak_memory_mb_ = 0.0;
};

/// Seconds since some fixed moment.
double now_in_seconds();

}  // namespace bough
