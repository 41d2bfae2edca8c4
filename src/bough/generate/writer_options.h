// How sentences are written, as options say it.
#pragma once

#include <string>

#include "bough/generate/beam.h"
#include "bough/generate/decoder.h"
#include "bough/generate/mbr.h"
#include "bough/model/precision.h"
#include "bough/model/task.h"
#include "bough/oracle/oracle_options.h"

namespace bough {

/// How a task's sentences are written where nobody says it.
constexpr Decode usual_decode(TaskKind task) {
  return traits_of(task).has_answer ? Decode::kGreedy : Decode::kSample;
}

struct WriterOptions {
  int64_t seed = 1;
  int64_t batch_size = 64;
  Precision precision = Precision::kFloat;
  std::vector<OracleKind> orders = {};
  SeedShape shape = SeedShape::kBest;  // declared by the verbs that take given words
  BeamOptions beam{};
  MbrOptions mbr{};
  SamplerOptions sampler{};
  DecodeBounds bounds{};

  void declare(OptionSet& set) {
    set.integer("seed", seed, {0, INT64_MAX}, "names all random draws");
    set.integer("batch-size", batch_size, {1, 1'000'000},
                "sentences written side by side; changes speed, not output")
        .about_the_program();
    set.choice(
           "precision", precision,
           "numbers to compute with: int8 is several times as fast and nearly as good; unless set, "
           "int8 for a model that is kept in it")
        .about_the_program();
    set.choices(
           "order", orders,
           "for a model that was trained with --orders: which of them to write in; with several, "
           "the best of all are taken")
        .about_the_program();
    set.group("Choosing sentences");
    beam.declare(set);
    mbr.declare(set);
    sampler.declare(set);
    bounds.declare(set);
  }

  /// sample, greedy, beam or mbr. UsageError where two are asked for.
  std::string method() const;
};

}  // namespace bough
