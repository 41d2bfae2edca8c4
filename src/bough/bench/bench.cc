#include "bough/bench/bench.h"

#include <fmt/format.h>
#include <omp.h>

#include "bough/bench/meter.h"
#include "bough/bench/precision_loss.h"
#include "bough/bench/synthetic.h"
#include "bough/generate/decoder.h"
#include "bough/model/functions.h"
#include "bough/model/kernels/kernels.h"
#include "bough/model/model.h"
#include "bough/train/update.h"

namespace bough {

namespace {

constexpr size_t kTreesToCompare = 500;

/// Floating-point operations of the products that one step takes forward.
double step_flops(const PolicyOptions& policy, int64_t vocabulary) {
  auto hidden = static_cast<double>(policy.hidden_size);
  auto width = static_cast<double>(policy.embedding_size);
  double flops = 2.0 * hidden * width + 2.0 * width * static_cast<double>(vocabulary);
  for (int64_t layer = 0; layer < policy.layers; ++layer) {
    flops += 2.0 * 4.0 * hidden * ((layer == 0 ? width : hidden) + hidden);
  }
  return flops;
}

/// The products that matter at these sizes.
nlohmann::ordered_json shape_rates(const PolicyOptions& policy, int64_t vocabulary, int64_t rows) {
  int64_t hidden = policy.hidden_size;
  nlohmann::ordered_json rates = nlohmann::ordered_json::array();
  for (const GemmShape& shape : {GemmShape{"recurrent", rows, hidden, 4 * hidden},
                                 GemmShape{"recurrent, backward", rows, 4 * hidden, hidden},
                                 GemmShape{"output", 256, policy.embedding_size, vocabulary}}) {
    GemmMeter meter(shape);
    meter.measure(0.1);
    GemmRate rate = meter.rate();
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

/// As many runs as were asked for, with a word after each.
template <typename Run>
Meter measure_runs(const BenchOptions& options, const BenchNote& note, Run run) {
  Meter meter;
  for (int64_t i = 0; i < options.repeats; ++i) {
    meter.measure(run);
    note(fmt::format("run {} of {}: {:.0f} GFLOP/s", i + 1, options.repeats, meter.gflops()));
  }
  return meter;
}

/// A policy that knows nothing but how long sentences are: <end> is as likely at every slot as
/// makes them 12 words long on average, and all words are alike.
std::unique_ptr<Policy> sentence_policy(const PolicyOptions& sizes, int64_t vocabulary,
                                        uint64_t seed) {
  // A slot that takes a word with probability q and stays empty with 1 − q holds q / (1 − 2q)
  // words; a sentence is one word and two slots: 12 = 1 + 2q / (1 − 2q).
  constexpr double kWordAtSlot = 11.0 / 24.0;
  std::unique_ptr<Policy> policy = make_policy(
      {.options = sizes, .vocabulary = vocabulary, .seed = seed, .embedding_scale = 1e-3});
  auto words = static_cast<double>(vocabulary - kSpecials);
  change_numbers(policy->output().bias)[kEnd] =
      static_cast<float>(std::log(words * (1.0 - kWordAtSlot) / kWordAtSlot));
  return policy;
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
  Dataset data =
      SyntheticCorpus{.vocabulary = options.words(), .length = options.length, .seed = seed}.make();
  PolicyOptions sizes = options.policy();
  std::unique_ptr<Policy> policy =
      make_policy({.options = sizes, .vocabulary = options.words(), .seed = seed});
  OracleOptions oracle;
  oracle.oracle = options.oracle;
  oracle.loss_beta.rate = 1.0 - options.beta;  // at epoch 1 the annealed oracle's β is options.beta
  RollInWalker walker(*policy, oracle);
  Adam adam(policy->parameters());
  double useful = 3e-9 * step_flops(sizes, options.words());

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
    UpdateResult result = update_policy(
        *policy, walker, adam, data,
        {.rollin = {.batch = batch, .beta = oracle.beta_of_rollin(1), .seed = seed, .pass = pass},
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
  Meter meter = measure_runs(options, note, [&] {
    BenchRun run;
    do {
      update(run);
    } while (run.seconds < options.seconds);
    return run;
  });

  nlohmann::ordered_json json = head("train", options);
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

nlohmann::ordered_json bench_generate(const GenerateBenchOptions& options, const BenchNote& note) {
  auto seed = static_cast<uint64_t>(options.seed);
  Model model;
  if (options.model.empty()) {
    model.config.policy = options.policy();
    model.policy = sentence_policy(options.policy(), options.words(), seed);
  } else {
    model = load_model(options.model);
  }
  Policy* policy = model.policy.get();
  int64_t vocabulary = policy->output().weight.size(0);
  policy->set_precision(options.precision);
  double useful = 1e-9 * step_flops(model.config.policy, vocabulary);
  torch::NoGradGuard no_gradients;
  std::unique_ptr<Stepper> stepper = policy->stepper();
  Decoder decoder(options.sampler, {});
  double words = 0.0;
  double sentences = 0.0;
  std::vector<Tree> trees;  // some of those that were made
  auto generate = [&](int64_t count) {
    BenchRun run;
    double start = now_in_seconds();
    DecodeRequest request{.count = count, .batch_size = options.batch_size, .seed = seed++};
    decoder.decode(*stepper, request, [&](DecodedTree&& decoded) {
      run.sentences += 1.0;
      run.steps += decoded.tree.steps();
      words += decoded.tree.word_count();
      if (trees.size() < kTreesToCompare) trees.push_back(std::move(decoded.tree));
    });
    run.seconds = now_in_seconds() - start;
    run.useful_gflop = useful * run.steps;
    sentences += run.sentences;
    return run;
  };
  generate(std::min(options.count, options.batch_size));  // warm-up
  words = sentences = 0.0;
  Meter meter = measure_runs(options, note, [&] { return generate(options.count); });
  nlohmann::ordered_json json = head("generate", options);
  if (!options.model.empty()) {
    json["preset"] = nullptr;
    json["model"] = options.model;
    json["vocabulary"] = vocabulary;
  }
  json["precision"] = name_of(options.precision);
  json["count"] = options.count;
  json["top_k"] = options.sampler.top_k;
  json["words_per_sentence"] = std::round(10.0 * words / sentences) / 10.0;
  json.update(meter.to_json());
  json["shapes"] = shape_rates(model.config.policy, vocabulary, options.batch_size);
  if (options.precision == Precision::kInt8) {
    PrecisionLoss loss = compare_precision(*policy, trees);
    json["precision_loss"] = {{"logprob_per_sentence", loss.per_sentence},
                              {"logprob_per_step", loss.per_step},
                              {"bias_per_sentence", loss.bias},
                              {"same_best_action", loss.same_best}};
  }
  return json;
}

}  // namespace bough
