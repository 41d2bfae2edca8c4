// What every policy ends in: the heads that turn its state into what it says about actions.
//
//     words: state → linear (→ ReLU) = features;  logits = features · weightᵀ + bias
//     <end>: state → linear → ReLU → linear = the logit of closing the slot, where there is this
//     head
//     sides: on which sides of a word there is something, where words come with these
//     (sides_head.h)
//
// What these mean together as probabilities is said in action_distribution.h. The words' output
// layer is applied by its user, who rarely needs all of it (see train/loss.h). A new head has its
// parameters, its forward pass, its steps and its precision here.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bough/model/layers/dropout.h"
#include "bough/model/layers/initialiser.h"
#include "bough/model/layers/packed_linear.h"
#include "bough/model/layers/sides_head.h"
#include "bough/model/named_tensors.h"
#include "bough/model/policy_options.h"
#include "bough/text/vocabulary.h"

namespace bough {

/// logits = features · weightᵀ + bias
struct OutputLayer {
  torch::Tensor weight;  // [vocabulary, embedding]
  torch::Tensor bias;    // [vocabulary]
};

struct PolicyOutput {
  torch::Tensor features;    // [rows, embedding]
  torch::Tensor end_logits;  // [rows], or undefined without an <end> head
  // Of a sides head, or undefined:
  torch::Tensor side_states;    // [rows, inner] the states' part in it
  torch::Tensor side_logprobs;  // [right answers] of a trajectory
};

class OutputHeads {
 public:
  /// For states of this width; rectified features drop units, too. Others are the states themselves
  /// where these are as wide as word vectors. `embedding` [vocabulary, embedding] is the output
  /// layer's weight where that is tied.
  OutputHeads(const PolicyOptions& options, int64_t state_width, Activation activation,
              const torch::Tensor& embedding, Initialiser& initialise);

  /// `state` is [rows, state]; `right` are the trajectory's answers where there is one.
  PolicyOutput forward(const torch::Tensor& state, Dropout& dropout,
                       const Trajectory* right = nullptr) const;

  OutputLayer words() const { return {weight_, bias_}; }
  int64_t vocabulary() const { return weight_.size(0); }
  /// Null where words don't come with their sides.
  const SidesHead* sides() const { return sides_ ? &*sides_ : nullptr; }
  void add_parameters(NamedTensors& all) const;

 private:
  friend class HeadRows;

  Activation activation_;
  std::optional<LinearLayer> projection_;  // state → embedding; none where the state is taken
  torch::Tensor weight_;                   // [vocabulary, embedding]
  bool tied_;
  PackedWeight packed_;
  torch::Tensor bias_;                    // [vocabulary]
  std::optional<LinearLayer> end_inner_;  // state → embedding; none without an <end> head
  std::optional<LinearLayer> end_outer_;  // embedding → 1
  std::optional<SidesHead> sides_;
};

/// For steppers: what the heads say about the rows of a step, each by itself, to the last bit.
class HeadRows {
 public:
  explicit HeadRows(const OutputHeads& heads, Precision precision = Precision::kFloat)
      : heads_(heads), precision_(precision) {}

  /// `state` is [rows, state].
  void read(const float* state, int64_t rows, Dropout& dropout);
  void keep(std::span<const int64_t> rows);

  int64_t vocabulary() const { return heads_.vocabulary(); }
  /// As Stepper's.
  void scores(int64_t row, std::span<const WordId> actions, std::span<float> logits) const;
  void all_scores(std::span<float> logits) const;
  void listed_scores(std::span<const std::span<const WordId>> lists, std::span<float> logits) const;
  std::span<const float> end_logits() const { return end_logits_; }
  Shape shape() const { return heads_.sides_ ? Shape::kArity : Shape::kEnd; }
  /// A row's may be asked for by one thread at a time.
  SideScores side_logits(int64_t row, WordId word) const;

 private:
  int64_t width() const { return heads_.weight_.size(1); }
  float logit(int64_t row, WordId action) const;

  const OutputHeads& heads_;
  Precision precision_;
  int64_t rows_ = 0;
  std::vector<float> features_;     // [rows, embedding]
  std::vector<float> inner_;        // [rows, embedding] of the <end> head
  std::vector<float> end_logits_;   // [rows], or none
  std::vector<float> side_states_;  // [rows, inner] of the sides head, or none

  /// What was last asked for of a row's sides: who chooses a word's and then scores it asks twice.
  struct AskedSides {
    WordId word = -1;
    SideScores logits{};
  };
  mutable std::vector<AskedSides> asked_;  // [rows], or none
};

}  // namespace bough
