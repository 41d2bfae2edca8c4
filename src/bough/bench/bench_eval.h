// What the metrics cost on this machine. They multiply no matrices; so that machines and days can
// be compared, speed is also given as sentences for each GFLOP that the machine multiplies in the
// meantime.
#pragma once

#include "bough/bench/bench.h"
#include "bough/metrics/metrics.h"

namespace bough {

struct EvalBenchOptions {
  std::vector<MetricKind> metrics;
  int64_t pairs = 20'000;
  int64_t length = 0;
  int64_t repeats = 3;
  int64_t seed = 1;

  void declare(OptionSet& set) {
    set.group("Benchmark");
    set.choices("metrics", metrics, "what to measure; all but yisi1 if none is named").short_name =
        'm';
    set.integer("pairs", pairs, {2, 100'000'000}, "sentences and as many references");
    set.integer("length", length, {0, 10'000},
                "words of every sentence; 0: lengths as in Persona-Chat, 11.7 on average");
    set.integer("repeats", repeats, {1, 1000}, "runs to take median and spread of");
    set.integer("seed", seed, {0, INT64_MAX}, "names all random draws");
  }
};

nlohmann::ordered_json bench_eval(const EvalBenchOptions& options, const BenchNote& note);

}  // namespace bough
