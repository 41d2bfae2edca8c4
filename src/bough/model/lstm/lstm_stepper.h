// The LSTM policy one action at a time, on weights packed for products with few rows.
#pragma once

#include <optional>
#include <vector>

#include "bough/model/headed_stepper.h"
#include "bough/model/lstm/lstm_policy.h"

namespace bough {

class LstmStepper : public HeadedStepper<Recorder> {
 public:
  /// Both are to be used before the policy's next update. With `recording` it keeps all steps, of
  /// as many rows in all as that says, and drops units as in training.
  LstmStepper(const LstmPolicy& policy, const StepperOptions& options);
  LstmStepper(const LstmPolicy& policy, const Recording& recording);

  void start(std::span<const SourceIds> sources) override;
  void advance(std::span<const StepInput> inputs, std::span<const SourceIds> fresh) override;
  void keep(std::span<const int64_t> rows) override;
  int64_t rows() const override { return rows_; }
  PolicyOutput output(const Trajectory& trajectory) override;

 private:
  /// Room for `rows` rows in all layers' memories; what they hold stays.
  void reserve(int64_t rows);
  /// Works out what the sources of new sentences add to the gates, and what attention looks at;
  /// their rows are the last ones.
  void read_sources(std::span<const SourceIds> sources);
  /// Adds it to a layer's gates of this step: of all rows, or of the new ones only.
  void add_sources(size_t layer, int64_t fresh, float* gates) const;

  const LstmPolicy& policy_;
  Precision precision_;
  WordId start_;
  std::optional<Recording> recording_;
  int64_t rows_ = 0;
  int64_t capacity_ = 0;
  int64_t recorded_rows_ = 0;  // of the last step, before any left
  int64_t step_ = 0;           // that is being recorded
  int64_t offset_ = 0;  // of the current step's rows in the memories; stays 0 without recording
  std::vector<LstmMemory> memories_;       // by layer
  std::vector<std::vector<float>> added_;  // by layer: [rows, 4·hidden]; none without an encoder
  std::vector<std::shared_ptr<const ConcatMemory>> sources_;  // by row; none without attention
  std::vector<float> input_;                                  // [rows, width] what a layer reads
  std::vector<float> attended_;                               // [rows, hidden]
};

}  // namespace bough
