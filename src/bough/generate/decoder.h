// Many sentences with one sampler, as trees that grow side by side in a running batch.
//
// Every sentence has its own random stream, named by its prompt: so a seed gives the same sentences
// whatever the batch size and the number of threads. What is demanded of a sentence (demands.h)
// decides at each slot what may be done there, so the tree is always well-formed and the demands
// are always met. (Words that are to be avoided can leave none: an UnmetError then.)
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "bough/generate/draft.h"
#include "bough/generate/running_batch.h"
#include "bough/generate/sampler.h"

namespace bough {

struct DecodeBounds {
  int64_t min_length = 0;
  int64_t max_length = 100;
  int64_t length = 0;
  int64_t max_depth = 0;

  /// Bounds a sentence's length.
  void apply(Demands& demands) const;

  void declare(OptionSet& set) {
    set.group("Bounds");
    set.integer("min-length", min_length, {0, 100'000}, "fewest words of a sentence");
    set.integer("max-length", max_length, {1, 100'000}, "most words of a sentence");
    set.integer("length", length, {0, 100'000}, "exactly so many words; 0: any");
    set.integer("max-depth", max_depth, {0, 100'000},
                "most words on a path from the root; 0: no bound");
  }
};

/// Names what is drawn for a prompt: whose it is (the number of a line), and, where that can be met
/// in several ways, for which of them.
struct PromptName {
  int64_t number = 0;
  int64_t way = 0;
};

/// What one sentence is written from, and what it has to be.
struct Prompt {
  SourceIds source = {};                             // none: a language model's own sentence
  std::shared_ptr<const Demands> demands = nullptr;  // checked; null: the bounds alone
  std::optional<PromptName> name = std::nullopt;     // none: its place among the prompts
  WordList words = nullptr;                          // that it may be written with; null: all
  std::string_view source_text = {};  // the source as it was read, for others to read

  /// These, and those that are demanded.
  WordList listed() const;
};

struct DecodeRequest {
  int64_t count = 1;                     // prompts
  std::span<const Prompt> prompts = {};  // as many, or none where nothing is asked
  int64_t draws = 1;                     // sentences for each prompt, one behind the other
  int64_t batch_size = 64;
  uint64_t seed = 1;
  bool with_scores = false;
  int64_t alternatives = 0;  // likeliest actions of each step, with the scores
  SeedShape shape = SeedShape::kBest;
  std::function<void()> between_steps = {};  // called after each; ends it all by throwing
  /// Told of each action of each sentence, counted over all prompts, by whoever runs the jobs.
  std::function<void(int64_t sentence, const Draft&, Action)> on_action = {};

  Prompt prompt(int64_t index) const {
    return prompts.empty() ? Prompt{} : prompts[static_cast<size_t>(index)];
  }

  /// What a sentence of a prompt is drawn by.
  RandomStream stream(int64_t index, int64_t draw) const;
};

class Decoder {
 public:
  /// UnmetError for bounds that nothing can meet.
  Decoder(const SamplerOptions& sampler, const DecodeBounds& bounds)
      : sampler_(sampler),
        bounds_(bounds),
        length_ratio_(sampler.length_ratio),
        own_demands_(checked(bounds)) {}

  /// An empty tree with what is demanded of it.
  Draft draft(const Prompt& prompt, Shape shape = Shape::kEnd) const {
    return {prompt.demands ? prompt.demands : own_demands_, shape, bounds_.max_depth,
            length_ratio_ * static_cast<double>(prompt.source.size())};
  }

  /// Calls `take` with each sentence, in the order of the prompts. A prompt's name and which
  /// of its sentences this is name the random stream.
  void decode(JobRunner& runner, const DecodeRequest& request,
              const std::function<void(DecodedTree&&)>& take) const;
  /// In a batch of its own.
  void decode(Stepper& stepper, const DecodeRequest& request,
              const std::function<void(DecodedTree&&)>& take) const {
    OwnBatch batch(stepper, request.batch_size);
    decode(batch, request, take);
  }

 private:
  /// Of a sentence that nothing else is asked of.
  static std::shared_ptr<const Demands> checked(const DecodeBounds& bounds) {
    Demands demands;
    bounds.apply(demands);
    demands.check();
    return std::make_shared<Demands>(std::move(demands));
  }

  Sampler sampler_;
  DecodeBounds bounds_;
  double length_ratio_;
  std::shared_ptr<const Demands> own_demands_;
};

}  // namespace bough
