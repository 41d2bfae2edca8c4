// The paper's LSTM policy, as its authors' program has it:
//
//     action before → embedding → LSTM layers → linear to the embedding's width → ReLU = features
//     logits = features · embeddingᵀ + bias            (or an output matrix of its own)
//     <end> head: LSTM output → linear → ReLU → linear → sigmoid
#pragma once

#include <memory>
#include <vector>

#include "bough/model/packed_lstm.h"
#include "bough/model/policy.h"

namespace bough {

struct LinearLayer {
  torch::Tensor weight;  // [to, from]
  torch::Tensor bias;    // [to]
};

class LstmPolicy : public Policy {
 public:
  LstmPolicy(const PolicyOptions& options, int64_t vocabulary_size, uint64_t seed,
             double embedding_scale, WordId start);

  PolicyOutput forward(const Trajectory& trajectory, const DropoutMasks& masks) const override;
  std::unique_ptr<Stepper> stepper() const override;
  OutputLayer output() const override { return {output_weight_, output_bias_}; }
  NamedTensors parameters() const override;
  torch::Tensor embedding() const override { return embedding_; }

  const PolicyOptions& options() const { return options_; }
  const std::vector<LstmLayer>& layers() const { return layers_; }
  const LinearLayer& projection() const { return projection_; }
  const LinearLayer& end_inner() const { return end_inner_; }
  const LinearLayer& end_outer() const { return end_outer_; }
  WordId start() const { return start_; }

 private:
  PolicyOptions options_;
  WordId start_;
  torch::Tensor embedding_;  // [vocabulary, embedding]
  std::vector<LstmLayer> layers_;
  LinearLayer projection_;       // hidden → embedding
  torch::Tensor output_weight_;  // [vocabulary, embedding]; the embedding itself when tied
  torch::Tensor output_bias_;    // [vocabulary]
  LinearLayer end_inner_;        // hidden → embedding; undefined without an <end> head
  LinearLayer end_outer_;        // embedding → 1
};

}  // namespace bough
