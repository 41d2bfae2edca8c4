// The loss: how far the policy is from its oracle, over all steps of a batch.
//
// At a row: KL(target ‖ π), where target = β · (the oracle's weights) + (1 − β) · (π renormalised
// over the right answers) is a constant. Over a sentence: the mean of its steps; over a batch: the
// mean of its sentences. With label smoothing ε: (1 − ε) of that and ε · KL(all actions alike ‖ π).
// With an <end> head the word loss runs over the steps at which a word is due, and the mean binary
// cross-entropy of the head over all steps is added; there a step at which n words are due, and
// would be lost by an <end>, may count more than once: n^end_weight times. Where words come with
// their open sides, actions are words with these: π is the product of both heads' probabilities,
// and a right answer is a word with the sides that its place has.
//
// All of the vocabulary is scored here: blocks of rows at a time, logits → softmax → gradient → the
// two products that consume it; no [rows, vocabulary] tensor outlives its block. (Nothing else in
// training is as wide as the vocabulary but mixed and learned roll-ins, which draw from it.)
#pragma once

#include <span>
#include <vector>

#include "bough/model/policy.h"
#include "bough/oracle/trajectory.h"
#include "bough/train/loss_parts.h"

namespace bough {

struct LossRequest {
  double beta = 1.0;
  double smoothing = 0.0;
  double end_weight = 0.0;  // of the words that a wrong <end> loses, in the head's loss
  bool gradient = true;     // add to the output layer's .grad and fill the result's gradients
  std::span<const double> sentence_weights = {};  // [sentences] what each counts for; or 1 each
  /// Logits held at a time. Products are the faster the more rows they have: blocks of a quarter of
  /// this size, which would stay in the last cache, take a fifth longer.
  int64_t block_numbers = int64_t{1} << 24;
};

struct LossResult {
  LossParts mean;                 // over the batch's sentences
  std::vector<double> nats;       // [sentences]
  torch::Tensor d_features;       // [rows, embedding]
  torch::Tensor d_end_logits;     // [rows]; undefined without an <end> head
  torch::Tensor d_side_logprobs;  // [right answers]; undefined without a sides head
};

/// Carries the loss's gradients on through the policy, into its parameters' .grad.
void backward(const PolicyOutput& output, const LossResult& loss);

/// How many rows' logits are held at a time.
int64_t rows_of_block(const LossRequest& request, int64_t vocabulary, int64_t rows);

LossResult compute_loss(const Trajectory& trajectory, const PolicyOutput& output,
                        const OutputLayer& layer, const LossRequest& request);

}  // namespace bough
