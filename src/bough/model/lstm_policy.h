// The paper's LSTM policy, as its authors' program has it:
//
//     action before → embedding → LSTM layers → linear to the embedding's width → ReLU = features
//     (what it may be told beside the action: slot_context.h)
//     logits = features · embeddingᵀ + bias            (or an output matrix of its own)
//     <end> head: LSTM output → linear → ReLU → linear → sigmoid
//
// It writes from nothing, or from a bag of words, which is added to what the layers remember
// (bag_encoder.h), or from a source (bilstm_encoder.h): the layers begin with what that says as a
// whole, and the output of the last one goes through attention over its words
// (concat_attention.h).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bough/model/bag_encoder.h"
#include "bough/model/bilstm_encoder.h"
#include "bough/model/concat_attention.h"
#include "bough/model/linear_layer.h"
#include "bough/model/packed_lstm.h"
#include "bough/model/policy.h"
#include "bough/model/slot_context.h"

namespace bough {

/// How a source is read, word by word.
struct AttendedSource {
  BilstmEncoder encoder;
  LinearLayer start;  // the whole source, 2·hidden → hidden: the output that layers begin with
  ConcatAttention attention;

  /// Names the encoder's dropout masks apart from the policy's.
  static constexpr uint64_t kFirstMask = 1000;
};

class LstmPolicy : public Policy {
 public:
  explicit LstmPolicy(const PolicyRequest& request);

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
  const BagEncoder* bag_encoder() const { return bag_encoder_ ? &*bag_encoder_ : nullptr; }
  const AttendedSource* source() const { return source_ ? &*source_ : nullptr; }
  /// Whether what an encoder says is added before every step, not before the first only.
  bool adds_every_step() const {
    return bag_encoder_ && options_.bag_state == BagState::kEveryStep;
  }
  const LinearLayer& projection() const { return *projection_; }
  const LinearLayer& end_inner() const { return *end_inner_; }
  const LinearLayer& end_outer() const { return *end_outer_; }
  const PackedWeight& packed_output() const { return *packed_output_; }
  WordId start() const { return start_; }

 private:
  /// What `added` [sentences, hidden] to what each layer remembers adds to its gates; undefined:
  /// nothing.
  std::vector<GateOffsets> gate_offsets(const torch::Tensor& added) const;

  PolicyOptions options_;
  WordId start_;
  SlotReader slot_reader_;
  std::optional<BagEncoder> bag_encoder_;
  std::optional<AttendedSource> source_;
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
