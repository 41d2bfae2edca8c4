// What training and generating cost on this machine, beside what its matrix products cost.
//
// Useful arithmetic is what the mathematics needs: the matrix products of the steps that sentences
// really have, three times the forward pass in training (forward, and two products for each in the
// backward pass). Padding, a second pass over the network and everything that isn't a product count
// as nothing, so that `gemm_share` (useful arithmetic per second over the rate of a large product
// in the same run) can only reach 1 in a program that does nothing else.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bough/bench/bench_options.h"
#include "bough/bench/meter.h"

namespace bough {

nlohmann::ordered_json bench_train(const TrainBenchOptions& options, const BenchNote& note);
nlohmann::ordered_json bench_translate(const TranslateBenchOptions& options, const BenchNote& note);
nlohmann::ordered_json bench_generate(const GenerateBenchOptions& options, const BenchNote& note);
/// Steps that trees of a sentence share count once.
nlohmann::ordered_json bench_score(const ScoreBenchOptions& options, const BenchNote& note);

}  // namespace bough
