// Growing trees with a policy, several side by side.
//
// Every sentence has its own random stream and its row of the stepper, which doesn't know the other
// rows: so a seed gives the same sentences whatever the batch size and the number of threads. When
// a tree is complete, the next sentence takes its row, so that the batch stays full to the end.
// What is demanded of a sentence (demands.h) decides at each slot what may be done there, so the
// tree is always well-formed and the demands are always met.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bough/generate/demands.h"
#include "bough/generate/sampler.h"
#include "bough/model/stepper.h"
#include "bough/tree/trace.h"
#include "bough/tree/tree.h"

namespace bough {

struct DecodeBounds {
  int64_t min_length = 0;
  int64_t max_length = 100;
  int64_t length = 0;
  int64_t max_depth = 0;

  /// Demands of a sentence that nothing else is asked of.
  Demands demands() const;

  void declare(OptionSet& set) {
    set.group("Bounds");
    set.integer("min-length", min_length, {0, 100'000}, "fewest words of a sentence");
    set.integer("max-length", max_length, {1, 100'000}, "most words of a sentence");
    set.integer("length", length, {0, 100'000}, "exactly so many words; 0: any");
    set.integer("max-depth", max_depth, {0, 100'000},
                "most words on a path from the root; 0: no bound");
  }
};

/// A sentence as ids; texts are the caller's to add.
struct DecodedTree {
  Tree tree;
  std::vector<StepScore> scores;  // by step; empty unless asked for
  bool finished = true;
  std::vector<std::string> texts = {};  // by node, where they aren't the vocabulary's; or none
  std::vector<bool> given = {};         // by node; or none
};

struct DecodeRequest {
  int64_t count = 1;
  int64_t batch_size = 64;
  uint64_t seed = 1;
  bool with_scores = false;
  std::span<const Source> sources = {};  // what each is written from; none: nothing
  /// Of each, checked; none: the bounds alone.
  std::span<const std::shared_ptr<const Demands>> demands = {};
  SeedShape shape = SeedShape::kBest;
};

class Decoder {
 public:
  /// UnmetError for bounds that nothing can meet.
  Decoder(const SamplerOptions& sampler, const DecodeBounds& bounds)
      : sampler_(sampler), bounds_(bounds), own_demands_(checked(bounds.demands())) {}

  /// What is demanded of a sentence of the request.
  Demanded demanded(int64_t index, const DecodeRequest& request) const {
    return Demanded(request.demands.empty() ? own_demands_
                                            : request.demands[static_cast<size_t>(index)]);
  }

  /// Calls `take` with each of `count` sentences, in the order of their index, which names their
  /// random stream.
  void decode(Stepper& stepper, const DecodeRequest& request,
              const std::function<void(DecodedTree&&)>& take) const;

 private:
  struct Sentence {
    int64_t index;
    RandomStream random;
    Demanded demanded;
    DecodedTree result;
  };

  /// Chooses the sentence's next action and adds it to its tree. `logits` are used up.
  WordId grow(Sentence& sentence, std::span<float> logits, const float* end_logit,
              const DecodeRequest& request) const;
  Sentence begin(int64_t index, const DecodeRequest& request) const;

  static std::shared_ptr<const Demands> checked(Demands demands) {
    demands.check();
    return std::make_shared<Demands>(std::move(demands));
  }

  Sampler sampler_;
  DecodeBounds bounds_;
  std::shared_ptr<const Demands> own_demands_;
};

/// Leaves a probability only to words that may be taken, and says whether <unk> is one of a bag.
bool forbid_words(const Demanded& demanded, std::span<float> logits);

}  // namespace bough
