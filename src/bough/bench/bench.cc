#include "bough/bench/bench.h"

#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/bench/arithmetic.h"
#include "bough/bench/decoding.h"
#include "bough/bench/meter.h"
#include "bough/bench/precision_loss.h"
#include "bough/bench/subject.h"
#include "bough/bench/synthetic.h"
#include "bough/bench/training.h"
#include "bough/generate/decoder.h"
#include "bough/generate/likelihood.h"
#include "bough/model/policy.h"

namespace bough {

namespace {

constexpr size_t kTreesToCompare = 500;

/// All that users choose from, one sentence at a time and many.
std::vector<DecodingWay> ways_to_translate() {
  constexpr int64_t kListed = 1000;
  std::vector<DecodingWay> ways;
  for (Precision precision : {Precision::kFloat, Precision::kInt8}) {
    for (int64_t batch_size : {1, 64}) {
      DecodingWay greedy{.precision = precision, .batch_size = batch_size};
      DecodingWay listed = greedy;
      listed.listed = kListed;
      ways.insert(ways.end(), {greedy, listed});
    }
    ways.push_back({.precision = precision, .beam = 5});
    ways.push_back({.precision = precision, .votes = 16});
  }
  return ways;
}

}  // namespace

nlohmann::ordered_json bench_train(const TrainBenchOptions& options, const BenchNote& note) {
  PolicyOptions sizes = options.policy();
  std::unique_ptr<Policy> policy = make_policy({.options = sizes,
                                                .vocabulary = options.words(),
                                                .seed = static_cast<uint64_t>(options.seed)});
  return measure_training("train", options, *policy, nullptr, note);
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
  nlohmann::ordered_json json = measure_training("translate", options, *policy, &sources, note);

  DecodingBench decoding(
      *policy,
      {.sources = &sources, .count = options.count, .length = options.length, .seed = seed});
  json["decoding"] = decoding.measure(ways_to_translate(), options.repeats, note);
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
  Meter meter = measure_runs(options.repeats, note, [&] { return generate(options.count); });
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
  Meter meter = measure_runs(options.repeats, note, [&] {
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
