// How cost grows with the work: one chart for each of what training and searching are made of, the
// measured time beside the time that the arithmetic alone would take at the machine's own rate of
// matrix products.
#pragma once

#include "bough/bench/bench.h"

namespace bough {

/// Measures all charts and writes them as `growth-*.svg` into the folder; the report has their
/// numbers.
nlohmann::ordered_json bench_growth(const GrowthBenchOptions& options, const BenchNote& note);

}  // namespace bough
