// The Transformer policy one action at a time by LibTorch's operators alone, on the policy's
// device: the twin of transformer_stepper.h, and the simplest way. Every step reads the whole
// sentence again. As in plain_stepper.h, other rows may change a row by rounding.
#pragma once

#include <vector>

#include "bough/model/transformer_policy.h"

namespace bough {

class PlainTransformerStepper : public Stepper {
 public:
  /// To be used before the policy's next update.
  explicit PlainTransformerStepper(const TransformerPolicy& policy) : policy_(policy) {}

  void start(std::span<const Source> sources) override;
  void advance(std::span<const StepInput> inputs, std::span<const Source> fresh) override;
  void keep(std::span<const int64_t> rows) override;
  void scores(int64_t row, std::span<const WordId> actions, std::span<float> logits) const override;
  void all_scores(std::span<float> logits) const override;
  std::span<const float> end_logits() const override { return end_logits_; }
  int64_t rows() const override { return static_cast<int64_t>(rows_.size()); }
  int64_t vocabulary() const override { return policy_.output().weight.size(0); }

 private:
  struct Row {
    std::vector<StepInput> inputs;
    std::vector<WordId> source;
  };

  const TransformerPolicy& policy_;
  std::vector<Row> rows_;
  torch::Tensor features_;  // [rows, embedding]
  std::vector<float> end_logits_;
};

}  // namespace bough
