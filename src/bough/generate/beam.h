// Beam search over partial trees.
//
// All trees of a sentence take their steps side by side; after each step the best `size` of them go
// on. A tree's score is the sum of its actions' log-probabilities, as the policy has them: what is
// demanded of a sentence keeps actions out, but doesn't make the others likelier, else the trees
// would be preferred that were left no choice. How complete trees are ranked and trees of the same
// sentence merged is said in candidates.h. The end rule is the sampler's: by threshold, <end> is
// decided first and costs nothing, and words are compared among themselves.
#pragma once

#include <functional>
#include <vector>

#include "bough/generate/candidates.h"
#include "bough/generate/decoder.h"

namespace bough {

struct BeamOptions {
  int64_t size = 0;
  double length_power = 1.0;

  void declare(OptionSet& set) {
    set.integer("beam-size", size, {0, 10'000}, "search with so many trees side by side; 0: off");
    set.number("length-power", length_power, {0.0, 10.0},
               "the best sentences are those of the highest log-probability over their number of "
               "words to this power");
  }
};

class BeamDecoder {
 public:
  BeamDecoder(const SamplerOptions& sampler, const DecodeBounds& bounds, const BeamOptions& options)
      : sampler_(sampler), decoder_(sampler, bounds), options_(options) {}

  /// Calls `take` for each prompt, in order, with its candidates, best first.
  void decode(JobRunner& runner, const DecodeRequest& request,
              const std::function<void(std::vector<Candidate>&&)>& take) const;
  /// In a batch of its own.
  void decode(Stepper& stepper, const DecodeRequest& request,
              const std::function<void(std::vector<Candidate>&&)>& take) const {
    OwnBatch batch(stepper, request.batch_size);
    decode(batch, request, take);
  }

 private:
  Sampler sampler_;
  Decoder decoder_;
  BeamOptions options_;
};

}  // namespace bough
