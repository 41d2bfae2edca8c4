// What the benchmarks can be told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bough/base/options.h"
#include "bough/generate/likelihood.h"
#include "bough/generate/sampler.h"
#include "bough/metrics/metrics.h"
#include "bough/model/policy_options.h"
#include "bough/model/precision.h"
#include "bough/oracle/oracle_options.h"

namespace bough {

enum class Preset { kPaperLstm, kSmallLstm, kPaperTransformer };
template <>
struct EnumNames<Preset> {
  static constexpr auto kNames =
      std::to_array<EnumName<Preset>>({{Preset::kPaperLstm, "paper-lstm"},
                                       {Preset::kSmallLstm, "small-lstm"},
                                       {Preset::kPaperTransformer, "paper-transformer"}});
};

struct BenchOptions {
  Preset preset = Preset::kPaperLstm;
  int64_t batch_size = 32;
  int64_t vocabulary = 0;
  int64_t hidden_size = 0;
  Shape shape = Shape::kEnd;
  int64_t repeats = 5;
  int64_t seed = 1;

  void declare(OptionSet& set) {
    set.group("Benchmark");
    set.choice("preset", preset,
               "sizes: the paper's LSTM (2 × 1024 units, word vectors 300 wide, 20,090 words), a "
               "small one (2 × 256, 128, 5,000), or the paper's Transformer (4 × 256, 40,000)");
    set.integer("batch-size", batch_size, {1, 1'000'000}, "sentences side by side");
    set.integer("vocabulary", vocabulary, {0, 100'000'000}, "number of words; 0: the preset's");
    set.integer("hidden-size", hidden_size, {0, 1'000'000}, "units of a layer; 0: the preset's");
    set.choice("shape", shape, "how the tree's shape is told: by <end>, or with each word");
    set.integer("repeats", repeats, {1, 1000}, "runs to take median and spread of");
    set.integer("seed", seed, {0, INT64_MAX}, "names all random draws");
  }

  PolicyOptions policy() const;
  int64_t words() const;  // of the vocabulary
};

struct TrainBenchOptions : BenchOptions {
  OracleKind oracle = OracleKind::kUniform;
  double beta = 0.5;
  int64_t length = 0;
  double seconds = 3.0;

  void declare(OptionSet& set) {
    BenchOptions::declare(set);
    set.choice("oracle", oracle, "the oracle to train with");
    set.number("beta", beta, {0.0, 1.0}, "β of the annealed oracle, in roll-in and loss");
    set.integer("length", length, {0, 10'000},
                "words of every sentence; 0: lengths as in Persona-Chat, 11.7 on average");
    set.number("seconds", seconds, {0.0, 3600.0}, "least duration of a run");
  }
};

/// Training and decoding of a model that translates.
struct TranslateBenchOptions : TrainBenchOptions {
  int64_t count = 256;

  TranslateBenchOptions() {
    preset = Preset::kPaperTransformer;
    oracle = OracleKind::kAnnealed;
    length = 25;
  }

  void declare(OptionSet& set) {
    TrainBenchOptions::declare(set);
    set.integer("count", count, {1, 1'000'000'000}, "sentences of a run of decoding").short_name =
        'n';
  }
};

/// What work is made of.
enum class WorkSize { kLength, kVocabulary, kBatch, kModel, kBeam };
template <>
struct EnumNames<WorkSize> {
  static constexpr auto kNames =
      std::to_array<EnumName<WorkSize>>({{WorkSize::kLength, "length"},
                                         {WorkSize::kVocabulary, "vocabulary"},
                                         {WorkSize::kBatch, "batch"},
                                         {WorkSize::kModel, "model"},
                                         {WorkSize::kBeam, "beam"}});
};

/// How cost grows.
struct GrowthBenchOptions {
  std::vector<WorkSize> only;
  Preset preset = Preset::kSmallLstm;
  std::string output = "docs";
  double seconds = 2.0;
  int64_t repeats = 3;
  int64_t seed = 1;

  void declare(OptionSet& set) {
    set.group("Benchmark");
    set.choices("only", only, "what to vary; all if nothing is named");
    set.choice("preset", preset, "sizes of what isn't varied");
    set.text("output", output, "DIR", "where the charts go").short_name = 'o';
    set.number("seconds", seconds, {0.0, 3600.0}, "least duration of a run");
    set.integer("repeats", repeats, {1, 1000}, "runs to take the median of");
    set.integer("seed", seed, {0, INT64_MAX}, "names all random draws");
  }
};

struct GenerateBenchOptions : BenchOptions {
  int64_t count = 1000;
  std::string model;
  Precision precision = Precision::kFloat;
  SamplerOptions sampler{};

  void declare(OptionSet& set) {
    BenchOptions::declare(set);
    set.integer("count", count, {1, 1'000'000'000}, "sentences of a run").short_name = 'n';
    set.text("model", model, "DIR", "measure this model, not a preset").names_model();
    set.choice("precision", precision,
               "numbers to compute with; int8 is also compared with float on sampled sentences");
    sampler.declare(set);
  }
};

struct ScoreBenchOptions : BenchOptions {
  int64_t count = 100;
  std::string model;
  int64_t length = 0;
  Precision precision = Precision::kFloat;
  LikelihoodOptions likelihood{};

  ScoreBenchOptions() { batch_size = 256; }

  void declare(OptionSet& set) {
    BenchOptions::declare(set);
    set.integer("count", count, {1, 10'000}, "sentences of a run").short_name = 'n';
    set.text("model", model, "DIR", "measure this language model, not a preset").names_model();
    set.integer("length", length, {0, 10'000},
                "words of every sentence; 0: lengths as in Persona-Chat, 11.7 on average");
    set.choice("precision", precision, "numbers to compute with");
    likelihood.declare(set);
  }
};

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

}  // namespace bough
