#include "bough/bench/bench.h"

#include <fmt/format.h>
#include <omp.h>

#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/bench/arithmetic.h"
#include "bough/bench/meter.h"
#include "bough/bench/precision_loss.h"
#include "bough/bench/read_rate.h"
#include "bough/bench/synthetic.h"
#include "bough/generate/decoder.h"
#include "bough/generate/likelihood.h"
#include "bough/model/kernels/dispatch.h"
#include "bough/model/layers/functions.h"
#include "bough/model/model.h"
#include "bough/model/policy.h"
#include "bough/train/update.h"

namespace bough {

namespace {

constexpr size_t kTreesToCompare = 500;

/// The products that matter at these sizes.
nlohmann::ordered_json shape_rates(const PolicyOptions& policy, int64_t vocabulary, int64_t rows) {
  int64_t hidden = policy.hidden_size;
  nlohmann::ordered_json rates = nlohmann::ordered_json::array();
  std::string_view layer = policy.policy == PolicyKind::kLstm ? "recurrent" : "feed-forward";
  for (const GemmShape& shape :
       {GemmShape{std::string(layer), rows, hidden, 4 * hidden},
        GemmShape{fmt::format("{}, backward", layer), rows, 4 * hidden, hidden},
        GemmShape{"output", 256, policy.embedding_size, vocabulary}}) {
    GemmMeter meter(shape);
    meter.measure(0.1);
    GemmRate rate = meter.rate();
    rates.push_back({{"product", shape.name},
                     {"rows", shape.rows},
                     {"depth", shape.depth},
                     {"columns", shape.columns},
                     {"blas", rounded(rate.blas)},
                     {"onednn", rounded(rate.onednn)}});
  }
  return rates;
}

nlohmann::ordered_json head(std::string_view what, const BenchOptions& options) {
  return {{"bench", what},
          {"preset", name_of(options.preset)},
          {"vocabulary", options.words()},
          {"batch_size", options.batch_size},
          {"shape", name_of(options.shape)},
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

/// A policy that knows nothing but how long sentences are: <end>, or a closed side, is as likely at
/// every slot as makes them 12 words long on average, and all words are alike.
std::unique_ptr<Policy> sentence_policy(const PolicyOptions& sizes, int64_t vocabulary,
                                        uint64_t seed) {
  // A slot that takes a word with probability q and stays empty with 1 − q holds q / (1 − 2q)
  // words; a sentence is one word and two slots: 12 = 1 + 2q / (1 − 2q).
  constexpr double kWordAtSlot = 11.0 / 24.0;
  std::unique_ptr<Policy> policy = make_policy(
      {.options = sizes, .vocabulary = vocabulary, .seed = seed, .embedding_scale = 1e-3});
  constexpr double kOdds = kWordAtSlot / (1.0 - kWordAtSlot);
  if (const SidesHead* sides = policy->heads().sides()) {
    for (Sides open : kAllSides) {
      change_numbers(sides->bias())[index_of(open)] =
          static_cast<float>(count_of(open) * std::log(kOdds));
    }
    return policy;
  }
  auto words = static_cast<double>(vocabulary - kSpecials);
  change_numbers(policy->output().bias)[kEnd] = static_cast<float>(std::log(words / kOdds));
  return policy;
}

/// What is measured: a model of a folder, or a policy of the preset's sizes.
class Subject {
 public:
  Subject(const BenchOptions& options, const std::string& folder)
      : options_(options), folder_(folder) {
    if (folder.empty()) {
      untrained_ =
          sentence_policy(options.policy(), options.words(), static_cast<uint64_t>(options.seed));
    } else {
      model_ = load_model(folder);
    }
  }

  const Policy& policy() const { return model_ ? *model_->policy : *untrained_; }
  OracleKind order() const { return model_ ? order_of(model_->config) : OracleKind::kUniform; }

  nlohmann::ordered_json head(std::string_view what) const {
    nlohmann::ordered_json json = bough::head(what, options_);
    if (model_) {
      json["preset"] = nullptr;
      json["model"] = folder_;
      json["vocabulary"] = policy().heads().vocabulary();
    }
    return json;
  }

 private:
  const BenchOptions& options_;
  const std::string& folder_;
  std::shared_ptr<const Model> model_;
  std::unique_ptr<Policy> untrained_;
};

Dataset corpus_of(const TrainBenchOptions& options, uint64_t seed) {
  return SyntheticCorpus{.vocabulary = options.words(), .length = options.length, .seed = seed}
      .make();
}

/// Trains a policy on a corpus that is written from another one, line by line, or from nothing.
nlohmann::ordered_json measure_training(std::string_view what, const TrainBenchOptions& options,
                                        const Policy& policy, const PolicyOptions& sizes,
                                        const Dataset* sources, const BenchNote& note) {
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
  Meter meter = measure_runs(options, note, [&] {
    BenchRun run;
    do {
      update(run);
    } while (run.seconds < options.seconds);
    return run;
  });

  nlohmann::ordered_json json = head(what, options);
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

/// Beside what one sentence is bound by: the weights that a step reads.
nlohmann::ordered_json memory_bound(const PolicyOptions& sizes, int64_t vocabulary,
                                    Precision precision, double steps_per_second) {
  double size = precision == Precision::kInt8 ? sizeof(int8_t) : sizeof(float);
  double megabytes = 1e-6 * size * step_weights(sizes, vocabulary);
  double rate = read_rate();
  return {{"weights_mb_per_step", rounded(megabytes)},
          {"read_gb_per_second", rounded(rate)},
          {"share", rounded(1e-3 * megabytes * steps_per_second / rate)}};
}

struct Decoding {
  const Policy& policy;
  const Dataset& sources;
  Precision precision;
  int64_t batch_size;
};

/// Decodes greedily, every sentence as long as those of training.
nlohmann::ordered_json measure_decoding(const Decoding& decoding,
                                        const TranslateBenchOptions& options,
                                        const BenchNote& note) {
  note(fmt::format("decoding greedily, {}, {} at a time", name_of(decoding.precision),
                   decoding.batch_size));
  const PolicyOptions& sizes = decoding.policy.options();
  int64_t count = decoding.batch_size == 1 ? (options.count + 31) / 32 : options.count;
  std::vector<Prompt> prompts;
  double useful = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    prompts.push_back({.source = decoding.sources.sentence(i % decoding.sources.size())});
    useful += 1e-9 * sentence_flops(sizes, options.words(),
                                    static_cast<double>(steps_of(sizes.shape, options.length)),
                                    static_cast<double>(prompts.back().source.size()));
  }
  SamplerOptions greedy;
  greedy.decode = Decode::kGreedy;
  Decoder decoder(greedy, {.length = std::max<int64_t>(1, options.length)});
  std::unique_ptr<Stepper> stepper = decoding.policy.stepper({.precision = decoding.precision});
  auto decode = [&] {
    BenchRun run;
    double start = now_in_seconds();
    decoder.decode(*stepper,
                   {.count = count,
                    .prompts = prompts,
                    .batch_size = decoding.batch_size,
                    .seed = static_cast<uint64_t>(options.seed)},
                   [&](DecodedTree&& decoded) {
                     run.sentences += 1.0;
                     run.steps += decoded.tree.steps();
                   });
    run.seconds = now_in_seconds() - start;
    run.useful_gflop = useful;
    return run;
  };
  decode();  // weights are packed when they are first asked for
  Meter meter = measure_runs(options, note, decode);
  nlohmann::ordered_json json = {{"precision", name_of(decoding.precision)},
                                 {"batch_size", decoding.batch_size}};
  json.update(meter.to_json());
  if (decoding.batch_size == 1) {
    json["memory"] = memory_bound(sizes, options.words(), decoding.precision,
                                  json["steps_per_second"]["median"].get<double>());
  }
  return json;
}

}  // namespace

PolicyOptions BenchOptions::policy() const {
  PolicyOptions sizes;  // the defaults are the paper's LSTM
  if (preset == Preset::kPaperTransformer) {
    sizes.policy = PolicyKind::kTransformer;
    sizes.layers = 4;
    sizes.hidden_size = 256;
    sizes.embedding_size = 256;
  }
  if (preset == Preset::kSmallLstm) {
    sizes.hidden_size = 256;
    sizes.embedding_size = 128;
  }
  if (hidden_size > 0) sizes.hidden_size = hidden_size;
  sizes.shape = shape;
  return sizes;
}

int64_t BenchOptions::words() const {
  if (vocabulary > 0) return std::max<int64_t>(vocabulary, kSpecials + 1);
  switch (preset) {
    case Preset::kPaperLstm:
      return 20'090;
    case Preset::kSmallLstm:
      return 5'000;
    case Preset::kPaperTransformer:
      return 40'000;
  }
  return 0;
}

nlohmann::ordered_json bench_train(const TrainBenchOptions& options, const BenchNote& note) {
  PolicyOptions sizes = options.policy();
  std::unique_ptr<Policy> policy = make_policy({.options = sizes,
                                                .vocabulary = options.words(),
                                                .seed = static_cast<uint64_t>(options.seed)});
  return measure_training("train", options, *policy, sizes, nullptr, note);
}

nlohmann::ordered_json bench_translate(const TranslateBenchOptions& options,
                                       const BenchNote& note) {
  auto seed = static_cast<uint64_t>(options.seed);
  PolicyOptions sizes = options.policy();
  if (sizes.policy != PolicyKind::kTransformer) {
    throw UsageError("bough bench translate takes --preset paper-transformer");
  }
  sizes.encoder = EncoderKind::kTransformer;
  std::unique_ptr<Policy> policy =
      make_policy({.options = sizes,
                   .vocabulary = options.words(),
                   .source = SourceVocabulary{.size = options.words(), .shared = true},
                   .seed = seed});
  Dataset sources = corpus_of(options, seed_for(seed, Purpose::kBenchSources));
  nlohmann::ordered_json json =
      measure_training("translate", options, *policy, sizes, &sources, note);

  torch::NoGradGuard no_gradients;
  json["decoding"] = nlohmann::ordered_json::array();
  for (Precision precision : {Precision::kFloat, Precision::kInt8}) {
    for (int64_t batch_size : {1, 64}) {
      json["decoding"].push_back(
          measure_decoding({*policy, sources, precision, batch_size}, options, note));
    }
  }
  return json;
}

nlohmann::ordered_json bench_generate(const GenerateBenchOptions& options, const BenchNote& note) {
  auto seed = static_cast<uint64_t>(options.seed);
  Subject subject(options, options.model);
  const Policy& policy = subject.policy();
  const PolicyOptions& sizes = policy.options();
  int64_t vocabulary = policy.heads().vocabulary();
  auto useful = [&](const Tree& tree) {
    return 1e-9 * sentence_flops(sizes, vocabulary, tree.steps());
  };
  torch::NoGradGuard no_gradients;
  std::unique_ptr<Stepper> stepper = policy.stepper({.precision = options.precision});
  Decoder decoder(options.sampler, {});
  double words = 0.0;
  double sentences = 0.0;
  std::vector<Tree> trees;  // some of those that were made
  uint64_t runs = 0;
  auto generate = [&](int64_t count) {
    BenchRun run;
    double start = now_in_seconds();
    DecodeRequest request{.count = count,
                          .batch_size = options.batch_size,
                          .seed = seed_for(seed, Purpose::kBenchRun, runs++)};
    decoder.decode(*stepper, request, [&](DecodedTree&& decoded) {
      run.sentences += 1.0;
      run.steps += decoded.tree.steps();
      run.useful_gflop += useful(decoded.tree);
      words += decoded.tree.word_count();
      if (trees.size() < kTreesToCompare) trees.push_back(std::move(decoded.tree));
    });
    run.seconds = now_in_seconds() - start;
    sentences += run.sentences;
    return run;
  };
  generate(std::min(options.count, options.batch_size));  // warm-up
  words = sentences = 0.0;
  Meter meter = measure_runs(options, note, [&] { return generate(options.count); });
  nlohmann::ordered_json json = subject.head("generate");
  json["precision"] = name_of(options.precision);
  json["count"] = options.count;
  json["top_k"] = options.sampler.top_k;
  json["words_per_sentence"] = rounded(words / sentences);
  json.update(meter.to_json());
  if (options.batch_size == 1) {
    json["memory"] = memory_bound(sizes, vocabulary, options.precision,
                                  json["steps_per_second"]["median"].get<double>());
  }
  json["shapes"] = shape_rates(sizes, vocabulary, options.batch_size);
  if (options.precision == Precision::kInt8) {
    PrecisionLoss loss = compare_precision(policy, trees);
    json["precision_loss"] = {{"logprob_per_sentence", loss.per_sentence},
                              {"logprob_per_step", loss.per_step},
                              {"bias_per_sentence", loss.bias},
                              {"same_best_action", loss.same_best}};
  }
  return json;
}

nlohmann::ordered_json bench_score(const ScoreBenchOptions& options, const BenchNote& note) {
  auto seed = static_cast<uint64_t>(options.seed);
  Subject subject(options, options.model);
  const Policy& policy = subject.policy();
  if (policy.options().encoder != EncoderKind::kNone) {
    throw UsageError("bough bench score takes language models: '{}' writes from sources",
                     options.model);
  }
  int64_t vocabulary = policy.heads().vocabulary();
  Dataset data = SyntheticCorpus{.sentences = options.count,
                                 .vocabulary = vocabulary,
                                 .length = options.length,
                                 .seed = seed}
                     .make();
  std::vector<SentenceToScore> sentences;
  LikelihoodScorer scorer(options.likelihood, subject.order());
  for (int64_t i = 0; i < data.size(); ++i) {
    scorer.check(data.length(i));
    sentences.push_back({.words = data.sentence(i), .number = i});
  }
  torch::NoGradGuard no_gradients;
  std::unique_ptr<Stepper> stepper = policy.stepper({.precision = options.precision});
  double effective = 0.0;
  Meter meter = measure_runs(options, note, [&] {
    BenchRun run;
    effective = 0.0;
    double start = now_in_seconds();
    scorer.score(*stepper, {.sentences = sentences, .batch_rows = options.batch_size, .seed = seed},
                 [&](Likelihood&& found) {
                   auto steps = static_cast<double>(found.steps);
                   auto one_tree = static_cast<double>(steps_of(
                       policy.options().shape, data.length(static_cast<int64_t>(run.sentences))));
                   run.useful_gflop += 1e-9 * steps / one_tree *
                                       sentence_flops(policy.options(), vocabulary, one_tree);
                   run.steps += steps;
                   run.sentences += 1.0;
                   effective += found.effective;
                 });
    run.seconds = now_in_seconds() - start;
    return run;
  });
  nlohmann::ordered_json json = subject.head("score");
  json["precision"] = name_of(options.precision);
  json["count"] = options.count;
  json["samples"] = options.likelihood.samples;
  json["ess"] = rounded(effective / static_cast<double>(options.count));
  json["words_per_sentence"] =
      rounded(static_cast<double>(data.word_count()) / static_cast<double>(data.size()));
  json.update(meter.to_json());
  json["shapes"] = shape_rates(policy.options(), vocabulary, options.batch_size);
  return json;
}

}  // namespace bough
