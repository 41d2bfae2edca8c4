// The head that says, for a word that is about to fill a slot, on which sides of it there is
// something (tree/shape.h):
//
//     state → linear + word's vector → linear without bias → ReLU → linear = a logit for each Sides
//
// A state's part is the same for all words, and a word's for all states, so each is computed once
// where many of both are met.
#pragma once

#include <span>
#include <vector>

#include "bough/model/layers/initialiser.h"
#include "bough/model/named_tensors.h"
#include "bough/model/stepper.h"
#include "bough/oracle/trajectory.h"

namespace bough {

class SidesHead {
 public:
  /// `embedding` is [vocabulary, embedding].
  SidesHead(int64_t state_width, const torch::Tensor& embedding, Initialiser& initialise);

  /// What states [rows, state] add: [rows, inner].
  torch::Tensor read(const torch::Tensor& state) const;

  /// Logits [n, sides] for n states' parts [n, inner], each with a word.
  torch::Tensor logits(const torch::Tensor& states, std::span<const int64_t> words) const;

  /// The log-probability of the open sides of every right answer of a trajectory, given its word,
  /// from all rows' parts [rows, inner]; 0 for <end>. As long as valid_action.
  torch::Tensor logprobs(const torch::Tensor& states, const Trajectory& right) const;

  /// Without gradients: a row's part, and the logits for one with a word.
  void read(const float* state, int64_t rows, std::vector<float>& parts) const;
  SideScores logits(std::span<const float> part, WordId word) const;

  int64_t width() const { return outer_.weight.size(1); }
  /// Of the logits; for whoever wants trees of some size.
  const torch::Tensor& bias() const { return outer_.bias; }
  void add_parameters(NamedTensors& all) const;

 private:
  torch::Tensor embedding_;  // [vocabulary, embedding]
  LinearLayer state_;        // state → inner
  LinearLayer word_;         // embedding → inner
  LinearLayer outer_;        // inner → sides
};

}  // namespace bough
