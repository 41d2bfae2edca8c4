#include "bough/bench/training.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "bough/bench/arithmetic.h"
#include "bough/bench/meter.h"
#include "bough/bench/subject.h"
#include "bough/bench/synthetic.h"
#include "bough/train/update.h"

namespace bough {

Dataset corpus_of(const TrainBenchOptions& options, uint64_t seed) {
  return SyntheticCorpus{.vocabulary = options.words(), .length = options.length, .seed = seed}
      .make();
}

nlohmann::ordered_json measure_training(std::string_view what, const TrainBenchOptions& options,
                                        const Policy& policy, const Dataset* sources,
                                        const BenchNote& note) {
  const PolicyOptions& sizes = policy.options();
  auto seed = static_cast<uint64_t>(options.seed);
  Dataset data = corpus_of(options, seed);
  OracleOptions oracle;
  oracle.oracle = options.oracle;
  oracle.loss_beta.rate = 1.0 - options.beta;  // at epoch 1 the annealed oracle's β is options.beta
  RollInWalker walker(policy, oracle);
  Adam adam(policy.parameters());
  auto useful = [&](int64_t sentence) {  // forward, and twice as much backward
    auto source_words = sources == nullptr ? 0.0 : static_cast<double>(sources->length(sentence));
    auto steps = static_cast<double>(steps_of(sizes.shape, data.length(sentence)));
    return 3e-9 * sentence_flops(sizes, options.words(), steps, source_words);
  };
  PhaseTimes phases;
  BatchPlan plan;
  int64_t next = 0;
  uint64_t pass = 0;
  auto update = [&](BenchRun& run) {
    double start = now_in_seconds();
    if (next == plan.size()) {
      BatchOptions batches;
      batches.batch_size = options.batch_size;
      plan = BatchPlan::shuffled(data, batches, seed, pass++);
      next = 0;
    }
    std::span<const int64_t> batch = plan.batch(next++);
    double data_seconds = now_in_seconds() - start;
    UpdateResult result = update_policy(policy, walker, adam, data,
                                        {.rollin = {.batch = batch,
                                                    .sources = sources,
                                                    .beta = oracle.beta_of_rollin(1),
                                                    .seed = seed,
                                                    .pass = pass},
                                         .loss_beta = oracle.beta_of_loss(1)});
    run.seconds += now_in_seconds() - start;
    run.sentences += static_cast<double>(batch.size());
    run.steps += static_cast<double>(result.steps);
    for (int64_t sentence : batch) run.useful_gflop += useful(sentence);
    result.times[Phase::kData] += data_seconds;
    for (size_t i = 0; i < phases.seconds.size(); ++i) phases.seconds[i] += result.times.seconds[i];
  };
  BenchRun warm_up;
  while (warm_up.seconds < 0.5 * options.seconds) update(warm_up);
  phases = {};
  Meter meter = measure_runs(options.repeats, note, [&] {
    BenchRun run;
    do {
      update(run);
    } while (run.seconds < options.seconds);
    return run;
  });

  nlohmann::ordered_json json = report_head(what, options);
  json["oracle"] = name_of(options.oracle);
  json["beta"] = oracle.beta_of_loss(1);
  json["length"] = options.length;
  json.update(meter.to_json());
  double total = 0.0;
  for (double seconds : phases.seconds) total += seconds;
  for (size_t i = 0; i < phases.seconds.size(); ++i) {
    json["phases"][std::string(kPhaseNames[i])] =
        std::round(1000.0 * phases.seconds[i] / total) / 1000.0;
  }
  json["shapes"] = shape_rates(sizes, options.words(), options.batch_size);
  return json;
}

}  // namespace bough
