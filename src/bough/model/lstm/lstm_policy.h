// The paper's LSTM policy, as its authors' program has it:
//
//     action before → embedding → LSTM layers → heads, with rectified features (output_heads.h)
//     (what it may be told beside the action: slot_context.h)
//
// It writes from nothing, or from a bag of words, which is added to what the layers remember
// (bag_encoder.h), or from a source (bilstm_encoder.h): the layers begin with what that says as a
// whole, and the output of the last one goes through attention over its words
// (concat_attention.h).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bough/model/encoders/bag_encoder.h"
#include "bough/model/encoders/bilstm_encoder.h"
#include "bough/model/encoders/concat_attention.h"
#include "bough/model/layers/linear_layer.h"
#include "bough/model/layers/packed_lstm.h"
#include "bough/model/layers/slot_context.h"
#include "bough/model/policy.h"

namespace bough {

/// How a source is read, word by word.
struct AttendedSource {
  BilstmEncoder encoder;
  LinearLayer start;  // the whole source, 2·hidden → hidden: the output that layers begin with
  ConcatAttention attention;
};

class LstmPolicy : public Policy {
 public:
  explicit LstmPolicy(const PolicyRequest& request);

  PolicyOutput forward(const PolicyInput& input) const override { return forward(input, nullptr); }
  /// Where `recorded` isn't null, the layers' steps have been taken already; they are used up.
  PolicyOutput forward(const PolicyInput& input, std::vector<LstmMemory>* recorded) const;
  std::unique_ptr<Stepper> stepper(const StepperOptions& options = {}) const override;
  std::unique_ptr<Recorder> recorder(const Recording& recording) const override;
  const OutputHeads& heads() const override { return *heads_; }
  NamedTensors parameters() const override;
  std::vector<torch::Tensor> word_vectors() const override;

  const torch::Tensor& embedding() const { return embedding_; }
  const std::vector<LstmLayer>& layers() const { return layers_; }
  const SlotReader& slot_reader() const { return slot_reader_; }
  const BagEncoder* bag_encoder() const { return bag_encoder_ ? &*bag_encoder_ : nullptr; }
  const AttendedSource* source() const { return source_ ? &*source_ : nullptr; }
  /// Whether what an encoder says is added before every step, not before the first only.
  bool adds_every_step() const {
    return bag_encoder_ && options().bag_state == BagState::kEveryStep;
  }

 private:
  /// What `added` [sentences, hidden] to what each layer remembers adds to its gates; undefined:
  /// nothing.
  std::vector<GateOffsets> gate_offsets(const torch::Tensor& added) const;

  SlotReader slot_reader_;
  std::optional<BagEncoder> bag_encoder_;
  std::optional<AttendedSource> source_;
  torch::Tensor embedding_;  // [vocabulary, embedding]
  std::vector<LstmLayer> layers_;
  std::optional<OutputHeads> heads_;
};

}  // namespace bough
