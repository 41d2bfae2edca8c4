// The LSTM policy one action at a time, on weights packed for products with few rows.
#pragma once

#include <vector>

#include "bough/model/kernels/kernels.h"
#include "bough/model/lstm_policy.h"
#include "bough/model/stepper.h"

namespace bough {

class LstmStepper : public Stepper {
 public:
  /// Packs the recurrent weights as they are now and shares the word vectors: to be used before the
  /// policy's next update.
  explicit LstmStepper(const LstmPolicy& policy);

  void start(int64_t rows) override;
  void advance(std::span<const WordId> actions) override;
  void keep(std::span<const int64_t> rows) override;
  void scores(int64_t row, std::span<const WordId> actions, std::span<float> logits) const override;
  void all_scores(std::span<float> logits) const override;
  std::span<const float> end_logits() const override { return end_logits_; }
  int64_t rows() const override { return rows_; }
  int64_t vocabulary() const override { return vocabulary_; }

 private:
  struct Layer {
    PackedMatrix weight;      // [4·hidden, input + hidden]: one product for both
    std::vector<float> bias;  // [4·hidden]
    int64_t input = 0;
    std::vector<float> joined;  // [rows, input + hidden] what the product reads
    std::vector<float> cell;    // [rows, hidden]
  };
  struct Linear {
    PackedMatrix weight;
    std::vector<float> bias;
  };

  static Linear pack(const LinearLayer& layer);

  /// Reads one input in every row and refreshes features_ and end_logits_.
  void read(std::span<const WordId> inputs);

  int64_t vocabulary_;
  int64_t hidden_;
  int64_t width_;  // of embeddings and features
  WordId start_;
  torch::Tensor embedding_;  // [vocabulary, width]
  OutputLayer output_layer_;
  mutable PackedMatrix packed_output_;  // made when all_scores is first asked for
  std::vector<Layer> layers_;
  Linear projection_;
  Linear end_inner_;
  Linear end_outer_;
  bool end_head_;

  int64_t rows_ = 0;
  std::vector<float> gates_;     // [rows, 4·hidden]
  std::vector<float> output_;    // [rows, hidden] of the last layer
  std::vector<float> features_;  // [rows, width]
  std::vector<float> end_logits_;
};

}  // namespace bough
