#include "bough/bench/bench_eval.h"

#include <fmt/format.h>
#include <omp.h>

#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/bench/meter.h"
#include "bough/bench/synthetic.h"
#include "bough/metrics/samples.h"
#include "bough/text/tokenizer.h"

namespace bough {

namespace {

constexpr double kGemmSeconds = 0.3;
constexpr size_t kMaxOrder = 5;

/// A word for a number: syllables, the frequent words short ones.
std::string spelled(WordId number) {
  static constexpr std::string_view kConsonants = "tnsrldmkpbgfvhwz";
  static constexpr std::string_view kVowels = "aeiou";
  std::string word;
  auto rest = static_cast<size_t>(number);
  do {
    word += kConsonants[rest % kConsonants.size()];
    word += kVowels[rest / kConsonants.size() % kVowels.size()];
    rest /= kConsonants.size() * kVowels.size();
  } while (rest > 0);
  return word;
}

/// Real sentences, and what a fair system makes of them.
struct SyntheticPairs {
  SplitSentences references;
  SplitSentences hypotheses;
};

/// Some words are dropped, replaced or doubled, and half of the sentences change two parts.
std::vector<std::string> spoiled(const std::vector<std::string>& words, RandomStream& random) {
  std::vector<std::string> result;
  for (const std::string& word : words) {
    double fate = random.uniform();
    if (fate < 0.05) continue;
    result.push_back(fate < 0.15 ? spelled(static_cast<WordId>(random.below(5'000))) : word);
    if (fate > 0.97) result.push_back(word);
  }
  if (result.size() > 2 && random.uniform() < 0.5) {
    auto middle = static_cast<int64_t>(1 + random.below(result.size() - 1));
    std::rotate(result.begin(), result.begin() + middle, result.end());
  }
  return result;
}

SyntheticPairs make_pairs(const EvalBenchOptions& options) {
  auto seed = static_cast<uint64_t>(options.seed);
  Dataset data =
      SyntheticCorpus{.sentences = options.pairs, .length = options.length, .seed = seed}.make();
  SyntheticPairs pairs;
  for (int64_t i = 0; i < data.size(); ++i) {
    std::vector<std::string>& words = pairs.references.emplace_back();
    for (WordId word : data.sentence(i)) words.push_back(spelled(word));
    RandomStream random(seed, Purpose::kBench, 1, static_cast<uint64_t>(i));
    pairs.hypotheses.push_back(spoiled(words, random));
  }
  return pairs;
}

std::vector<std::string> lines_of(const SplitSentences& sentences) {
  std::vector<std::string> lines;
  for (const auto& words : sentences) lines.push_back(join_words(words));
  return lines;
}

std::vector<MetricKind> metrics_of(const EvalBenchOptions& options) {
  std::vector<MetricKind> kinds = options.metrics;
  for (const auto& [kind, name] : EnumNames<MetricKind>::kNames) {
    if (options.metrics.empty() && kind != MetricKind::kYisi1) kinds.push_back(kind);
    if (kind == MetricKind::kYisi1 && std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) {
      throw UsageError("-m: bench eval has no word vectors for yisi1; take yisi0");
    }
  }
  return kinds;
}

}  // namespace

nlohmann::ordered_json bench_eval(const EvalBenchOptions& options, const BenchNote& note) {
  std::vector<MetricKind> kinds = metrics_of(options);
  SyntheticPairs pairs = make_pairs(options);
  std::vector<std::string> hypotheses = lines_of(pairs.hypotheses);
  References references({lines_of(pairs.references)});
  auto threads = static_cast<size_t>(omp_get_max_threads());
  MetricOptions metric_options;
  metric_options.meteor.modules = "exact,stem";  // the made-up words have no synonyms

  GemmMeter machine{GemmShape{}};
  machine.measure(kGemmSeconds);
  std::vector<std::pair<std::string, std::vector<double>>> rates;
  auto time = [&](const std::string& name, auto work) {
    auto& [_, values] = rates.emplace_back(name, std::vector<double>{});
    for (int64_t run = 0; run < options.repeats; ++run) {
      double start = now_in_seconds();
      work();
      values.push_back(static_cast<double>(options.pairs) / (now_in_seconds() - start));
    }
    machine.measure(kGemmSeconds);
    note(fmt::format("{}: {:.0f} pairs a second", name, median(values)));
  };
  for (MetricKind kind : kinds) {
    time(std::string(name_of(kind)), [&] {
      auto metric = make_metric(kind, metric_options, references, {});
      measure_text(*metric, hypotheses, references, threads);
    });
  }
  if (options.metrics.empty()) {
    time("samples", [&] {
      measure_samples(pairs.hypotheses, pairs.references, pairs.references, kMaxOrder, threads);
    });
  }

  double gflops = machine.rate().best();
  double words = 0.0;
  for (const auto& sentence : pairs.references) words += static_cast<double>(sentence.size());
  nlohmann::ordered_json json = {
      {"bench", "eval"},
      {"pairs", options.pairs},
      {"words_per_sentence", rounded(words / static_cast<double>(options.pairs))},
      {"threads", threads},
      {"seed", options.seed},
      {"runs", options.repeats},
      {"gemm_gflops", rounded(gflops)}};
  for (const auto& [name, values] : rates) {
    json["metrics"][name] = {{"sentences_per_second", spread(values)},
                             {"sentences_per_gflop", rounded(median(values) / gflops)}};
  }
  return json;
}

}  // namespace bough
