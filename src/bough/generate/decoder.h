// Growing trees with a policy, several side by side.
//
// Every sentence has its own random stream and its row of the stepper, which doesn't know the other
// rows: so a seed gives the same sentences whatever the batch size and the number of threads. When
// a tree is complete, the next sentence takes its row, so that the batch stays full to the end.
// Bounds on length and depth close slots instead of cutting the tree, which therefore is always
// well-formed.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bough/generate/sampler.h"
#include "bough/model/stepper.h"
#include "bough/tree/trace.h"
#include "bough/tree/tree.h"

namespace bough {

struct DecodeBounds {
  int64_t max_length = 100;
  int64_t max_depth = 0;

  void declare(OptionSet& set) {
    set.group("Bounds");
    set.integer("max-length", max_length, {1, 100'000}, "most words of a sentence");
    set.integer("max-depth", max_depth, {0, 100'000},
                "most words on a path from the root; 0: no bound");
  }
};

/// A sentence as ids; texts are the caller's to add.
struct DecodedTree {
  Tree tree;
  std::vector<StepScore> scores;  // by step; empty unless asked for
  bool finished = true;
};

struct DecodeRequest {
  int64_t count = 1;
  int64_t batch_size = 64;
  uint64_t seed = 1;
  bool with_scores = false;
};

class Decoder {
 public:
  Decoder(const SamplerOptions& sampler, const DecodeBounds& bounds)
      : sampler_(sampler), bounds_(bounds) {}

  /// Calls `take` with each of `count` sentences, in the order of their index, which names their
  /// random stream.
  void decode(Stepper& stepper, const DecodeRequest& request,
              const std::function<void(DecodedTree&&)>& take) const;

 private:
  struct Sentence {
    int64_t index;
    RandomStream random;
    DecodedTree result;
  };

  /// Chooses the sentence's next action and adds it to its tree. `logits` are used up.
  WordId grow(Sentence& sentence, std::span<float> logits, const float* end_logit,
              bool with_scores) const;
  Allowed allowed_at(const Tree& tree) const;

  Sampler sampler_;
  DecodeBounds bounds_;
};

}  // namespace bough
