// Sentences from a model, in order, batch by batch.
#pragma once

#include <functional>
#include <memory>

#include "bough/generate/decoder.h"
#include "bough/model/model.h"
#include "bough/tree/trace.h"

namespace bough {

struct GenerateRequest {
  int64_t count = 1;
  int64_t batch_size = 64;
  uint64_t seed = 1;
  bool with_scores = false;
  SamplerOptions sampler{};
  DecodeBounds bounds{};
  std::span<const Source> sources = {};  // as in DecodeRequest
  std::span<const std::shared_ptr<const Demands>> demands = {};
  SeedShape shape = SeedShape::kBest;
};

/// With the words' texts.
Trace trace_of(DecodedTree&& decoded, const Vocabulary& vocabulary);

/// Calls `take` with each sentence, in the order of their index.
void generate(const Policy& policy, const Vocabulary& vocabulary, const GenerateRequest& request,
              const std::function<void(Trace&&)>& take);

}  // namespace bough
