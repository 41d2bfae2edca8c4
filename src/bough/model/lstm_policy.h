// The paper's LSTM policy, as its authors' program has it:
//
//     action before → embedding → LSTM layers → linear to the embedding's width → ReLU = features
//     (what it may be told beside the action: slot_context.h; a bag of words: bag_encoder.h)
//     logits = features · embeddingᵀ + bias            (or an output matrix of its own)
//     <end> head: LSTM output → linear → ReLU → linear → sigmoid
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bough/model/bag_encoder.h"
#include "bough/model/linear_layer.h"
#include "bough/model/packed_lstm.h"
#include "bough/model/policy.h"

namespace bough {

class LstmPolicy : public Policy {
 public:
  LstmPolicy(const PolicyOptions& options, int64_t vocabulary_size, uint64_t seed,
             double embedding_scale, WordId start, torch::Device device = torch::kCPU);

  PolicyOutput forward(const Trajectory& trajectory, const DropoutMasks& masks) const override {
    return forward(trajectory, masks, nullptr);
  }
  /// Where `recorded` isn't null, the layers' steps have been taken already; they are used up.
  PolicyOutput forward(const Trajectory& trajectory, const DropoutMasks& masks,
                       std::vector<LstmMemory>* recorded) const;
  std::unique_ptr<Stepper> stepper() const override;
  std::unique_ptr<Recorder> recorder(const Recording& recording) const override;
  void set_precision(Precision precision) override;
  OutputLayer output() const override { return {output_weight_, output_bias_}; }
  NamedTensors parameters() const override;
  std::vector<torch::Tensor> word_vectors() const override;

  const PolicyOptions& options() const { return options_; }
  const torch::Tensor& embedding() const { return embedding_; }
  const std::vector<LstmLayer>& layers() const { return layers_; }
  const SlotReader& slot_reader() const { return slot_reader_; }
  const BagEncoder* encoder() const { return encoder_ ? &*encoder_ : nullptr; }
  const LinearLayer& projection() const { return *projection_; }
  const LinearLayer& end_inner() const { return *end_inner_; }
  const LinearLayer& end_outer() const { return *end_outer_; }
  const PackedWeight& packed_output() const { return *packed_output_; }
  WordId start() const { return start_; }

 private:
  /// What the sentences' sources add to each layer's gates.
  std::vector<GateOffsets> gate_offsets(const Trajectory& trajectory) const;

  PolicyOptions options_;
  WordId start_;
  SlotReader slot_reader_;
  std::optional<BagEncoder> encoder_;
  torch::Tensor embedding_;  // [vocabulary, embedding]
  std::vector<LstmLayer> layers_;
  std::optional<LinearLayer> projection_;  // hidden → embedding
  torch::Tensor output_weight_;            // [vocabulary, embedding]; the embedding when tied
  torch::Tensor output_bias_;              // [vocabulary]
  std::optional<PackedWeight> packed_output_;
  std::optional<LinearLayer> end_inner_;  // hidden → embedding; none without an <end> head
  std::optional<LinearLayer> end_outer_;  // embedding → 1
};

}  // namespace bough
