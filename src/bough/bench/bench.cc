#include "bough/bench/bench.h"

#include <fmt/format.h>
#include <omp.h>

#include "bough/bench/meter.h"
#include "bough/bench/synthetic.h"
#include "bough/model/kernels/kernels.h"
#include "bough/train/update.h"

namespace bough {

namespace {

/// Floating-point operations of the products that one step takes forward.
struct StepWork {
  double network = 0.0;  // up to the features
  double output = 0.0;   // from there to the logits of all words

  explicit StepWork(const PolicyOptions& policy, int64_t vocabulary) {
    auto hidden = static_cast<double>(policy.hidden_size);
    auto width = static_cast<double>(policy.embedding_size);
    for (int64_t layer = 0; layer < policy.layers; ++layer) {
      network += 2.0 * 4.0 * hidden * ((layer == 0 ? width : hidden) + hidden);
    }
    network += 2.0 * hidden * width;
    output = 2.0 * width * static_cast<double>(vocabulary);
  }
  double all() const { return network + output; }
};

/// The products that matter at these sizes.
nlohmann::ordered_json shape_rates(const PolicyOptions& policy, int64_t vocabulary, int64_t rows) {
  int64_t hidden = policy.hidden_size;
  nlohmann::ordered_json rates = nlohmann::ordered_json::array();
  for (const GemmShape& shape :
       {GemmShape{"recurrent", rows, hidden, 4 * hidden},
        GemmShape{"recurrent, backward", rows, 4 * hidden, hidden},
        GemmShape{"output", 256, policy.embedding_size, vocabulary}}) {
    GemmRate rate = measure_gemm(shape, 0.1);
    rates.push_back({{"product", shape.name},
                     {"rows", shape.rows},
                     {"depth", shape.depth},
                     {"columns", shape.columns},
                     {"blas", std::round(rate.blas)},
                     {"onednn", std::round(rate.onednn)}});
  }
  return rates;
}

nlohmann::ordered_json head(std::string_view what, const BenchOptions& options) {
  return {{"bench", what},
          {"preset", name_of(options.preset)},
          {"vocabulary", options.words()},
          {"batch_size", options.batch_size},
          {"threads", omp_get_max_threads()},
          {"kernels", kernel_name()},
          {"seed", options.seed}};
}

}  // namespace

PolicyOptions BenchOptions::policy() const {
  PolicyOptions sizes;  // the defaults are the paper's
  if (preset == Preset::kSmallLstm) {
    sizes.hidden_size = 256;
    sizes.embedding_size = 128;
  }
  return sizes;
}

int64_t BenchOptions::words() const {
  if (vocabulary > 0) return std::max<int64_t>(vocabulary, kSpecials + 1);
  return preset == Preset::kPaperLstm ? 20'090 : 5'000;
}

nlohmann::ordered_json bench_train(const TrainBenchOptions& options, const BenchNote& note) {
  auto seed = static_cast<uint64_t>(options.seed);
  Dataset data = SyntheticCorpus{.vocabulary = options.words(), .length = options.length, .seed = seed}
                     .make();
  PolicyOptions sizes = options.policy();
  std::unique_ptr<Policy> policy = make_policy(sizes, options.words(), seed);
  OracleOptions oracle;
  oracle.oracle = options.oracle;
  oracle.loss_beta.rate = 1.0 - options.beta;  // at epoch 1 the annealed oracle's β is options.beta
  RollInWalker walker(*policy, oracle);
  Adam adam(policy->parameters());
  double useful = 3e-9 * StepWork(sizes, options.words()).all();

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
    UpdateResult result = update_policy(*policy, walker, adam, data,
                                        {.rollin = {.batch = batch,
                                                    .beta = oracle.beta_of_rollin(1),
                                                    .seed = seed,
                                                    .pass = pass},
                                         .loss_beta = oracle.beta_of_loss(1)});
    run.seconds += now_in_seconds() - start;
    run.sentences += static_cast<double>(batch.size());
    run.steps += static_cast<double>(result.steps);
    run.useful_gflop += useful * static_cast<double>(result.steps);
    result.times[Phase::kData] += data_seconds;
    for (size_t i = 0; i < phases.seconds.size(); ++i) phases.seconds[i] += result.times.seconds[i];
  };
  BenchRun warm_up;
  while (warm_up.seconds < 0.5 * options.seconds) update(warm_up);
  phases = {};
  Meter meter;
  for (int64_t i = 0; i < options.repeats; ++i) {
    meter.measure([&] {
      BenchRun run;
      do {
        update(run);
      } while (run.seconds < options.seconds);
      return run;
    });
    note(fmt::format("run {} of {}: {:.0f} GFLOP/s", i + 1, options.repeats, meter.gflops()));
  }

  nlohmann::ordered_json json = head("train", options);
  json["oracle"] = name_of(options.oracle);
  json["beta"] = oracle.beta_of_loss(1);
  json["length"] = options.length;
  json.update(meter.to_json());
  double total = 0.0;
  for (double seconds : phases.seconds) total += seconds;
  for (size_t i = 0; i < phases.seconds.size(); ++i) {
    json["phases"][std::string(kPhaseNames[i])] = std::round(1000.0 * phases.seconds[i] / total) / 1000.0;
  }
  json["shapes"] = shape_rates(sizes, options.words(), options.batch_size);
  return json;
}

}  // namespace bough
