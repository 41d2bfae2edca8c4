// Small policies and batches for tests.
#pragma once

#include "bough/base/random.h"
#include "bough/data/dataset.h"
#include "bough/generate/decoder.h"
#include "bough/model/lstm/lstm_policy.h"
#include "bough/oracle/trajectory.h"

namespace bough {

inline PolicyOptions small_options(bool end_head = false, OutputKind output = OutputKind::kTied) {
  PolicyOptions options;
  options.layers = 2;
  options.hidden_size = 19;  // no multiple of any register's width
  options.embedding_size = 11;
  options.output = output;
  options.end_head = end_head;
  return options;
}

constexpr int64_t kSmallVocabulary = 45;

/// A policy over the small vocabulary, which its source shares if it reads one.
inline PolicyRequest request_for(const PolicyOptions& options, double embedding_scale = 1.0,
                                 uint64_t seed = 3) {
  PolicyRequest request{.options = options,
                        .vocabulary = kSmallVocabulary,
                        .seed = seed,
                        .embedding_scale = embedding_scale};
  if (options.encoder == EncoderKind::kBilstm) request.source = {kSmallVocabulary, true};
  return request;
}

/// Sentences of one to twelve words with repetitions.
inline Dataset random_dataset(int64_t sentences, uint64_t seed,
                              int64_t vocabulary = kSmallVocabulary) {
  Dataset data;
  RandomStream random(seed, Purpose::kTest);
  for (int64_t i = 0; i < sentences; ++i) {
    std::vector<WordId> sentence(1 + random.below(12));
    for (WordId& word : sentence) {
      word = kSpecials +
             static_cast<WordId>(random.below(static_cast<uint64_t>(vocabulary - kSpecials)));
    }
    data.add(sentence);
  }
  return data;
}

/// Uniform walks over all sentences of a dataset.
inline Trajectory random_trajectory(const Dataset& data, const Oracle& oracle, uint64_t seed,
                                    Shape shape = Shape::kEnd) {
  std::vector<Walk> walks;
  RandomStream random(seed, Purpose::kTest);
  for (int64_t i = 0; i < data.size(); ++i) {
    Walk& walk = walks.emplace_back(data.sentence(i), oracle, Duplicates::kUniform, shape);
    while (!walk.done()) {
      walk.take(static_cast<int>(random.below(walk.valid().size())), random);
    }
  }
  Trajectory trajectory = pack(walks);
  for (int64_t source : trajectory.source) trajectory.given.push_back(data.sentence(source));
  return trajectory;
}

/// Steps of a policy that is told nothing but the action before.
inline std::vector<StepInput> inputs_of(std::span<const WordId> actions) {
  std::vector<StepInput> inputs;
  for (WordId action : actions) inputs.push_back({.action = action});
  return inputs;
}

/// Sentences that are written from nothing.
inline std::vector<Prompt> prompts_of(std::span<const std::shared_ptr<const Demands>> demands) {
  std::vector<Prompt> prompts;
  for (const auto& own : demands) prompts.push_back({.source = {}, .demands = own});
  return prompts;
}

inline std::vector<SourceIds> no_sources(size_t count) {
  return std::vector<SourceIds>(count);
}

/// One of a policy's weights.
inline torch::Tensor named_tensor(const Policy& policy, std::string_view name) {
  for (auto& [own, tensor] : policy.parameters()) {
    if (own == name) return tensor;
  }
  throw std::out_of_range(std::string(name));
}

inline void clear_gradients(const Policy& policy) {
  for (auto& [name, tensor] : policy.parameters()) {
    tensor.mutable_grad() = torch::zeros_like(tensor);
  }
}

}  // namespace bough
