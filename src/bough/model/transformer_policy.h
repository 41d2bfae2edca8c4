// The paper's Transformer policy: reads the actions so far in level order.
//
//     action before → vector · √width (→ linear) + position (+ tree position) → decoder layers →
//     norm
//         (→ linear to the embedding's width) = features
//     logits = features · embeddingᵀ + bias            (or an output matrix of its own)
//     <end> head: normed state → linear → ReLU → linear → sigmoid
//
// What it may be told beside the action: slot_context.h, tree_encoding.h. It writes from nothing,
// or from a source by a Transformer encoder (source_encoder.h), or from a bag of words, whose
// vector is added to what every step reads (bag_encoder.h).
#pragma once

#include <memory>
#include <optional>

#include "bough/model/bag_encoder.h"
#include "bough/model/policy.h"
#include "bough/model/slot_context.h"
#include "bough/model/source_encoder.h"
#include "bough/model/transformer_options.h"
#include "bough/model/transformer_stack.h"
#include "bough/model/tree_encoding.h"

namespace bough {

class TransformerPolicy : public Policy {
 public:
  explicit TransformerPolicy(const PolicyRequest& request);

  PolicyOutput forward(const Trajectory& trajectory, const DropoutMasks& masks) const override;

  /// The same for rows in any order; `sources` are by sentence.
  PolicyOutput forward(std::span<const StepInput> inputs, const RowLayout& layout,
                       std::span<const Source> sources, const DropoutMasks& masks) const;

  std::unique_ptr<Stepper> stepper() const override;
  std::unique_ptr<Recorder> recorder(const Recording&) const override { return nullptr; }
  void set_precision(Precision precision) override;
  OutputLayer output() const override { return {output_weight_, output_bias_}; }
  NamedTensors parameters() const override;
  std::vector<torch::Tensor> word_vectors() const override;

  const torch::Tensor& embedding() const { return embedding_; }
  const PolicyOptions& options() const { return options_; }
  const SlotReader& slot_reader() const { return slot_reader_; }
  const LinearLayer* input() const { return input_ ? &*input_ : nullptr; }
  const TreeEncoding* tree_encoding() const { return tree_encoding_ ? &*tree_encoding_ : nullptr; }
  const SourceEncoder* source_encoder() const {
    return source_encoder_ ? &*source_encoder_ : nullptr;
  }
  const BagEncoder* bag_encoder() const { return bag_encoder_ ? &*bag_encoder_ : nullptr; }
  const TransformerStack& decoder() const { return *decoder_; }
  const LinearLayer* projection() const { return projection_ ? &*projection_ : nullptr; }
  const LinearLayer& end_inner() const { return *end_inner_; }
  const LinearLayer& end_outer() const { return *end_outer_; }
  const PackedWeight& packed_output() const { return *packed_output_; }
  WordId start() const { return start_; }

 private:
  /// What the decoder reads: [rows, width].
  torch::Tensor read(std::span<const StepInput> inputs, const RowLayout& layout,
                     std::span<const Source> sources) const;

  PolicyOptions options_;
  WordId start_;
  SlotReader slot_reader_;
  torch::Tensor embedding_;           // [vocabulary, embedding]
  std::optional<LinearLayer> input_;  // what a step reads → width; none where these are the same
  std::optional<TreeEncoding> tree_encoding_;
  std::optional<TransformerStack> decoder_;
  std::optional<LinearLayer> projection_;  // width → embedding; none where these are the same
  torch::Tensor output_weight_;            // [vocabulary, embedding]; the embedding when tied
  torch::Tensor output_bias_;              // [vocabulary]
  std::optional<PackedWeight> packed_output_;
  std::optional<LinearLayer> end_inner_;  // width → embedding; none without an <end> head
  std::optional<LinearLayer> end_outer_;  // embedding → 1
  std::optional<SourceEncoder> source_encoder_;
  std::optional<BagEncoder> bag_encoder_;
};

}  // namespace bough
