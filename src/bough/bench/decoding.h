// What decoding costs, by the way sentences are written: greedily, by a search, by a vote, with all
// words or some, many at a time or one.
//
// Every sentence has as many words as is asked for, whatever the policy, so that ways can be
// compared: they take turns, and what one costs is also given in greedy sentences of the same run.
#pragma once

#include <algorithm>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "bough/bench/meter.h"
#include "bough/data/dataset.h"
#include "bough/generate/writer.h"
#include "bough/model/policy.h"

namespace bough {

struct DecodingWay {
  Precision precision = Precision::kFloat;
  int64_t batch_size = 64;
  int64_t beam = 0;    // trees of a search; 0: none
  int64_t votes = 0;   // samples of a vote; 0: none
  int64_t listed = 0;  // words that a sentence is written with; 0: all

  /// Trees that are written for a sentence, side by side.
  int64_t trees() const { return std::max({int64_t{1}, beam, votes}); }
  /// greedy, beam 5, vote 16, shortlist 1000.
  std::string name() const;
};

struct DecodingWork {
  const Dataset* sources = nullptr;  // null: sentences are written from nothing
  int64_t count = 256;               // sentences of a run; one at a time, a 32nd of them
  int64_t length = 12;               // words of each
  uint64_t seed = 1;
};

class DecodingBench {
 public:
  /// The policy must outlive this.
  DecodingBench(const Policy& policy, const DecodingWork& work);

  /// An object for each way.
  nlohmann::ordered_json measure(std::span<const DecodingWay> ways, int64_t repeats,
                                 const BenchNote& note) const;

 private:
  BenchRun run(const DecodingWay& way) const;
  int64_t count_of(const DecodingWay& way) const;
  std::vector<Prompt> prompts_of(const DecodingWay& way) const;
  /// Useful arithmetic of a sentence; what its trees share is counted once.
  double flops_of(const DecodingWay& way, SourceIds source) const;
  double steps() const {
    return static_cast<double>(steps_of(policy_.options().shape, work_.length));
  }

  const Policy& policy_;
  DecodingWork work_;
  Language text_;  // made-up words
};

}  // namespace bough
