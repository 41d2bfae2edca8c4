// The paper's Transformer policy: reads the actions so far in level order.
//
//     action before → vector · √width (→ linear) + position (+ tree position) → decoder layers →
//     norm → heads (output_heads.h)
//
// What it may be told beside the action: slot_context.h, tree_encoding.h. It writes from nothing,
// or from a source by a Transformer encoder (source_encoder.h), or from a bag of words, whose
// vector is added to what every step reads (bag_encoder.h).
#pragma once

#include <memory>
#include <optional>

#include "bough/model/encoders/bag_encoder.h"
#include "bough/model/encoders/source_encoder.h"
#include "bough/model/layers/slot_context.h"
#include "bough/model/layers/transformer_stack.h"
#include "bough/model/layers/tree_encoding.h"
#include "bough/model/policy.h"
#include "bough/model/transformer_options.h"

namespace bough {

class TransformerPolicy : public Policy {
 public:
  explicit TransformerPolicy(const PolicyRequest& request);

  PolicyOutput forward(const PolicyInput& input) const override;
  std::unique_ptr<Stepper> stepper(const StepperOptions& options = {}) const override;
  std::unique_ptr<Stepper> drawing_stepper(std::optional<WordId> start) const override;
  const OutputHeads& heads() const override { return *heads_; }
  NamedTensors parameters() const override;
  std::vector<torch::Tensor> word_vectors() const override;

  const torch::Tensor& embedding() const { return embedding_; }
  const SlotReader& slot_reader() const { return slot_reader_; }
  const LinearLayer* input() const { return input_ ? &*input_ : nullptr; }
  const TreeEncoding* tree_encoding() const { return tree_encoding_ ? &*tree_encoding_ : nullptr; }
  const SourceEncoder* source_encoder() const {
    return source_encoder_ ? &*source_encoder_ : nullptr;
  }
  const BagEncoder* bag_encoder() const { return bag_encoder_ ? &*bag_encoder_ : nullptr; }
  const TransformerStack& decoder() const { return *decoder_; }

 private:
  /// What the decoder reads: [rows, width].
  torch::Tensor read(const PolicyInput& input, const RowLayout& layout) const;

  SlotReader slot_reader_;
  torch::Tensor embedding_;           // [vocabulary, embedding]
  std::optional<LinearLayer> input_;  // what a step reads → width; none where these are the same
  std::optional<TreeEncoding> tree_encoding_;
  std::optional<TransformerStack> decoder_;
  std::optional<OutputHeads> heads_;
  std::optional<SourceEncoder> source_encoder_;
  std::optional<BagEncoder> bag_encoder_;
};

}  // namespace bough
