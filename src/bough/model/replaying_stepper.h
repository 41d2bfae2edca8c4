// Any policy one action at a time, by its `forward` alone, on the policy's device: every step reads
// the whole sentences again. It is what a policy has before it has a faster stepper, and what runs
// where our kernels don't (see layers/functions.h).
//
// Products are then the BLAS's, which may sum in another order for another number of rows: what it
// gives for a row is the same in any company to rounding, not to the last bit.
#pragma once

#include <vector>

#include "bough/model/policy.h"

namespace bough {

class ReplayingStepper : public Stepper {
 public:
  /// To be used before the policy's next update.
  explicit ReplayingStepper(const Policy& policy, std::optional<WordId> start = {})
      : policy_(policy), start_(start.value_or(policy.start())) {}

  void start(std::span<const SourceIds> sources) override;
  void advance(std::span<const StepInput> inputs, std::span<const SourceIds> fresh) override;
  void keep(std::span<const int64_t> rows) override;
  void scores(int64_t row, std::span<const WordId> actions, std::span<float> logits) const override;
  void all_scores(std::span<float> logits) const override;
  std::span<const float> end_logits() const override { return end_logits_; }
  Shape shape() const override { return policy_.options().shape; }
  SideScores side_logits(int64_t row, WordId word) const override;
  int64_t rows() const override { return static_cast<int64_t>(rows_.size()); }
  int64_t vocabulary() const override { return policy_.heads().vocabulary(); }

 private:
  struct ReplayedRow {
    std::vector<StepInput> inputs;
    std::vector<WordId> source;
  };

  const Policy& policy_;
  WordId start_;
  std::vector<ReplayedRow> rows_;
  torch::Tensor features_;     // [rows, embedding]
  torch::Tensor side_states_;  // [rows, inner], or undefined
  std::vector<float> end_logits_;
};

}  // namespace bough
