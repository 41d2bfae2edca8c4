// A policy: scores of all actions, given the actions so far.
//
// It has two faces. `stepper` goes one action further, with a cache and without gradients;
// `forward` scores a whole trajectory at once, with gradients. Both end in features; the output
// layer that turns features into logits over the vocabulary belongs to the policy but is applied by
// its user, who rarely needs all of it (see train/loss.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bough/model/named_tensors.h"
#include "bough/model/packed_weight.h"
#include "bough/model/policy_options.h"
#include "bough/model/stepper.h"
#include "bough/model/torch.h"
#include "bough/oracle/trajectory.h"

namespace bough {

/// logits = features · weightᵀ + bias
struct OutputLayer {
  torch::Tensor weight;  // [vocabulary, embedding]
  torch::Tensor bias;    // [vocabulary]
};

/// Names the dropout masks of one update; `keep` 1 switches dropout off.
struct DropoutMasks {
  double keep = 1.0;
  uint64_t key = 0;
};

struct PolicyOutput {
  torch::Tensor features;    // [rows, embedding], rows as in the trajectory
  torch::Tensor end_logits;  // [rows], or undefined without an <end> head
};

/// What a recorder is made for.
struct Recording {
  int64_t rows = 0;  // of the whole trajectory
  DropoutMasks masks{};
};

/// A stepper that keeps what it computes. A roll-in that asks the policy computes, step by step,
/// what `forward` over the finished trajectory would compute again: with a recorder the second pass
/// falls away.
class Recorder : public Stepper {
 public:
  /// What policy.forward(trajectory, masks) gives, gradients included. Rows must have left from the
  /// end only, as in a trajectory. To be called once.
  virtual PolicyOutput output(const Trajectory& trajectory) = 0;
};

class Policy {
 public:
  virtual ~Policy() = default;

  virtual PolicyOutput forward(const Trajectory& trajectory, const DropoutMasks& masks) const = 0;

  /// Both are to be used before the weights change. There may be no recorder: null.
  virtual std::unique_ptr<Stepper> stepper() const = 0;
  virtual std::unique_ptr<Recorder> recorder(const Recording& recording) const = 0;

  /// How steppers compute from now on; int8 is for decoding only.
  virtual void set_precision(Precision precision) = 0;

  virtual OutputLayer output() const = 0;

  /// Every weight once, in a fixed order. The tensors are the policy's own.
  virtual NamedTensors parameters() const = 0;

  /// Every matrix of the vocabulary's word vectors [vocabulary, embedding], for pre-trained ones.
  virtual std::vector<torch::Tensor> word_vectors() const = 0;
};

/// What source words are looked up in.
struct SourceVocabulary {
  int64_t size = 0;
  bool shared = false;  // whether its word vectors are those of the words that are written
};

/// What a policy is made by.
struct PolicyRequest {
  PolicyOptions options{};
  int64_t vocabulary = 0;
  std::optional<SourceVocabulary> source = {};  // for encoders that read words in their order
  uint64_t seed = 1;                            // names the same weights on every device
  double embedding_scale = 1.0;
  WordId start = kStart;
  torch::Device device = torch::kCPU;
};

/// UsageError for options that don't go together.
std::unique_ptr<Policy> make_policy(const PolicyRequest& request);

}  // namespace bough
