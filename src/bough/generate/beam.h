// Beam search over partial trees.
//
// All trees of a sentence take their steps side by side; after each step the best `size` of them go
// on. A tree's score is the sum of its actions' log-probabilities; complete trees are ranked by
// that over a power of their number of words, and trees of the same sentence are one candidate that
// has the sum of their probabilities. The end rule is the sampler's: by threshold, <end> is decided
// first and costs nothing, and words are compared among themselves.
#pragma once

#include <functional>
#include <vector>

#include "bough/generate/decoder.h"

namespace bough {

struct BeamOptions {
  int64_t size = 0;
  double length_power = 1.0;

  void declare(OptionSet& set) {
    set.integer("beam-size", size, {0, 10'000}, "search with so many trees side by side; 0: off");
    set.number("length-power", length_power, {0.0, 10.0},
               "beam search ranks by log-probability over the number of words to this power");
  }
};

struct BeamCandidate {
  DecodedTree tree;  // the likeliest one of its sentence
  double score = 0.0;
};

class BeamDecoder {
 public:
  BeamDecoder(const SamplerOptions& sampler, const DecodeBounds& bounds, const BeamOptions& options)
      : sampler_(sampler), decoder_(sampler, bounds), options_(options) {}

  /// Calls `take` for each sentence of the request, in order, with its candidates, best first.
  /// Depth is not bounded.
  void decode(Stepper& stepper, const DecodeRequest& request,
              const std::function<void(std::vector<BeamCandidate>&&)>& take) const;

 private:
  struct Hypothesis {
    DecodedTree result;
    Demanded demanded;
    double score = 0.0;
  };
  /// A way for a hypothesis to go on.
  struct Extension {
    size_t parent = 0;  // row
    WordId action = kEnd;
    int given = -1;  // which given word it is
    double score = 0.0;
  };
  /// The search for one sentence.
  struct Search {
    std::vector<Hypothesis> active;  // rows [first_row, first_row + size)
    std::vector<Hypothesis> complete;
  };

  void extend(const Hypothesis& hypothesis, size_t row, std::span<float> logits,
              const float* end_logit, std::vector<Extension>& extensions) const;
  Hypothesis grown(const Hypothesis& parent, const Extension& extension) const;
  std::vector<BeamCandidate> ranked(std::vector<Hypothesis> complete) const;

  Sampler sampler_;
  Decoder decoder_;
  BeamOptions options_;
};

}  // namespace bough
