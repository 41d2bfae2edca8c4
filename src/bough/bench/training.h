// What training costs: updates on a made-up corpus, and which phases they are spent in.
#pragma once

#include "bough/bench/bench.h"
#include "bough/data/dataset.h"
#include "bough/model/policy.h"

namespace bough {

/// Sentences to train with, or to write from.
Dataset corpus_of(const TrainBenchOptions& options, uint64_t seed);

/// Trains a policy on a corpus that is written from another one, line by line, or from nothing.
nlohmann::ordered_json measure_training(std::string_view what, const TrainBenchOptions& options,
                                        const Policy& policy, const Dataset* sources,
                                        const BenchNote& note);

}  // namespace bough
