// The LSTM policy one action at a time by LibTorch's operators alone, on the policy's device: the
// twin of lstm_stepper.h.
//
// Products are the BLAS's, which may sum in another order for another number of rows: what it gives
// for a row is the same in any company to rounding, not to the last bit.
#pragma once

#include <vector>

#include "bough/model/lstm_policy.h"
#include "bough/model/plain_lstm.h"

namespace bough {

class PlainStepper : public Stepper {
 public:
  /// To be used before the policy's next update.
  explicit PlainStepper(const LstmPolicy& policy) : policy_(policy) {}

  void start(std::span<const Source> sources) override;
  void advance(std::span<const StepInput> inputs, std::span<const Source> fresh) override;
  void keep(std::span<const int64_t> rows) override;
  void scores(int64_t row, std::span<const WordId> actions, std::span<float> logits) const override;
  void all_scores(std::span<float> logits) const override;
  std::span<const float> end_logits() const override { return end_logits_; }
  int64_t rows() const override { return rows_; }
  int64_t vocabulary() const override { return policy_.output().weight.size(0); }

 private:
  /// [sources, hidden] what is added to what the layers remember.
  torch::Tensor encode(std::span<const Source> sources);
  /// The output of attention for each row's state.
  torch::Tensor attend(const torch::Tensor& states) const;

  const LstmPolicy& policy_;
  int64_t rows_ = 0;
  std::vector<LstmState> states_;     // by layer
  torch::Tensor sources_;             // [rows, hidden] as encoded; undefined without an encoder
  std::vector<torch::Tensor> words_;  // by row: [words, 2·hidden]; none without attention
  torch::Tensor features_;            // [rows, embedding]
  std::vector<float> end_logits_;
};

}  // namespace bough
