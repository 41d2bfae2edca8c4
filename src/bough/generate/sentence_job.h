// A sentence written as one tree: at each slot what is demanded says what may be done there, and a
// sampler chooses.
#pragma once

#include <atomic>
#include <functional>

#include "bough/base/random.h"
#include "bough/generate/draft.h"
#include "bough/generate/running_batch.h"
#include "bough/generate/sampler.h"

namespace bough {

struct SentenceRequest {
  SourceIds source = {};  // has to stay as long as the job
  Draft draft;            // an empty tree, with what is demanded of it
  WordList listed = {};   // what it may be written with
  Sampler sampler;
  RandomStream random;
  SeedShape shape = SeedShape::kBest;
  bool with_scores = false;
  int64_t alternatives = 0;                                  // with the scores
  std::function<void(const Draft&, Action)> on_action = {};  // after each
  std::function<void(DecodedTree&&)> on_end;
  const std::atomic<bool>* cancel = nullptr;  // set: the job leaves before its next step
};

class SentenceJob : public Job {
 public:
  explicit SentenceJob(SentenceRequest request) : request_(std::move(request)) {}

  SourceIds source() const override { return request_.source; }
  std::span<const WordId> listed() const override { return words_of(request_.listed); }
  bool cancelled() const override { return request_.cancel != nullptr && *request_.cancel; }
  void choose(std::span<ActionDistribution> slots) override;
  NextRows take() override;

 private:
  SentenceRequest request_;
  Action action_;       // the last one
  bool stuck_ = false;  // there was nothing left to choose
};

}  // namespace bough
