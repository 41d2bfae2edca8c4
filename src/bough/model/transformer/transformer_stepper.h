// The Transformer policy one action at a time, on packed weights: what earlier steps have been read
// as stays in a cache, so a step costs one position.
#pragma once

#include <memory>
#include <vector>

#include "bough/model/headed_stepper.h"
#include "bough/model/layers/sinusoid_table.h"
#include "bough/model/transformer/transformer_policy.h"

namespace bough {

class TransformerStepper : public HeadedStepper<Stepper> {
 public:
  /// To be used before the policy's next update.
  TransformerStepper(const TransformerPolicy& policy, const StepperOptions& options);

  void start(std::span<const SourceIds> sources) override;
  void advance(std::span<const StepInput> inputs, std::span<const SourceIds> fresh) override;
  void keep(std::span<const int64_t> rows) override;
  int64_t rows() const override { return static_cast<int64_t>(rows_.size()); }

 private:
  /// A sentence that is being written.
  struct CachedRow {
    StepInput input;   // of this step
    TreeAddress read;  // where the action before stands
    int64_t position = 0;
    std::vector<KeyValueCache> memory;           // by layer
    std::shared_ptr<const SourceMemory> source;  // null without an encoder
    std::vector<float> bag;                      // [width]; empty without a bag
  };

  void begin(std::span<const SourceIds> sources);
  /// What the decoder reads at this step: [rows, width].
  std::vector<float> read_step();
  std::vector<LayerViews> views();

  const TransformerPolicy& policy_;
  Precision precision_;
  WordId start_;
  TransformerRunner runner_;
  SinusoidTable positions_;
  std::vector<CachedRow> rows_;
};

}  // namespace bough
