// The Transformer policy one action at a time, on packed weights: what earlier steps have been read
// as stays in a cache, so a step costs one position.
#pragma once

#include <memory>
#include <vector>

#include "bough/model/layers/sinusoid_table.h"
#include "bough/model/transformer/transformer_policy.h"

namespace bough {

class TransformerStepper : public Stepper {
 public:
  /// To be used before the policy's next update.
  TransformerStepper(const TransformerPolicy& policy, Precision precision);

  void start(std::span<const Source> sources) override;
  void advance(std::span<const StepInput> inputs, std::span<const Source> fresh) override;
  void keep(std::span<const int64_t> rows) override;
  void scores(int64_t row, std::span<const WordId> actions,
              std::span<float> logits) const override {
    heads_.scores(row, actions, logits);
  }
  void all_scores(std::span<float> logits) const override { heads_.all_scores(logits); }
  std::span<const float> end_logits() const override { return heads_.end_logits(); }
  int64_t rows() const override { return static_cast<int64_t>(rows_.size()); }
  int64_t vocabulary() const override { return policy_.heads().vocabulary(); }

 private:
  /// A sentence that is being written.
  struct Row {
    StepInput input;   // of this step
    TreeAddress read;  // where the action before stands
    int64_t position = 0;
    std::vector<KeyValueCache> memory;           // by layer
    std::shared_ptr<const SourceMemory> source;  // null without an encoder
    std::vector<float> bag;                      // [width]; empty without a bag
  };

  void begin(std::span<const Source> sources);
  /// What the decoder reads at this step: [rows, width].
  std::vector<float> read_step();
  std::vector<LayerViews> views();

  const TransformerPolicy& policy_;
  Precision precision_;
  TransformerRunner runner_;
  SinusoidTable positions_;
  std::vector<Row> rows_;
  HeadRows heads_;
};

}  // namespace bough
