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
  /// Measures `run` and, before and after it, the rate of a 2048³ product. The highest rate that was
  /// seen counts: other programs can only lower it, and a share of it errs on the low side.
  template <typename Run>
  void measure(Run run) {
    if (runs_.empty()) measure_machine();
    reset_peak_memory();
    runs_.push_back(run());
    peak_memory_mb_ = std::max(peak_memory_mb_, peak_memory_mb());
    measure_machine();
  }

  double gflops() const;

  /// Medians with their spread, the machine's rates, the share of them, peak memory.
  nlohmann::ordered_json to_json() const;

 private:
  static void reset_peak_memory();
  static double peak_memory_mb();
  void measure_machine();

  std::vector<BenchRun> runs_;
  GemmRate rate_;  // the best seen
  double peak_memory_mb_ = 0.0;
};

/// Seconds since some fixed moment.
double now_in_seconds();

}  // namespace bough
