// What the metrics cost on this machine. They multiply no matrices; so that machines and days can
// be compared, speed is also given as sentences for each GFLOP that the machine multiplies in the
// meantime.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bough/bench/bench.h"

namespace bough {

nlohmann::ordered_json bench_eval(const EvalBenchOptions& options, const BenchNote& note);

}  // namespace bough
