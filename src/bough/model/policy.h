// A policy: scores of all actions, given the actions so far.
//
// It has two faces. `forward` scores whole trajectories at once, with gradients; `stepper` goes one
// action further, with a cache and without. Both end in the same heads (layers/output_heads.h). A
// policy that has `forward` has a stepper, which reads everything again at every step; a faster one
// is its own affair, and may be wanted only where our kernels run.
//
// A policy is constant, and may be shared by threads, as long as nobody changes its weights.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bough/model/layers/output_heads.h"
#include "bough/model/named_tensors.h"
#include "bough/model/policy_options.h"
#include "bough/model/stepper.h"
#include "bough/model/torch.h"
#include "bough/oracle/trajectory.h"

namespace bough {

/// What a policy goes over at once: the steps of some sentences, packed.
struct PolicyInput {
  PolicyInput(std::span<const StepInput> inputs_, const PackedSteps& steps_,
              std::span<const SourceIds> sources_, const DropoutMasks& masks_ = {})
      : inputs(inputs_), steps(steps_), sources(sources_), masks(masks_) {}
  PolicyInput(const Trajectory& trajectory, const DropoutMasks& masks_ = {})
      : PolicyInput(trajectory.input, trajectory, trajectory.given, masks_) {
    right = &trajectory;
  }

  std::span<const StepInput> inputs;   // [rows]
  const PackedSteps& steps;            // which rows these are
  std::span<const SourceIds> sources;  // [sentences], or none at all for a language model
  DropoutMasks masks;
  const Trajectory* right = nullptr;  // its answers, which heads may be asked about
};

/// How a stepper computes.
struct StepperOptions {
  Precision precision = Precision::kFloat;  // int8 is for decoding, and needs our kernels
  std::optional<WordId> start = {};         // what sentences begin with; none: the policy's own
};

/// What a recorder is made for.
struct Recording {
  int64_t rows = 0;  // of the whole trajectory
  DropoutMasks masks{};
  std::optional<WordId> start = {};  // as in StepperOptions
};

/// A stepper that keeps what it computes. A roll-in that asks the policy computes, step by step,
/// what `forward` over the finished trajectory would compute again: with a recorder the second pass
/// falls away.
class Recorder : public Stepper {
 public:
  /// What policy.forward({trajectory, masks}) gives, gradients included. Rows must have left from
  /// the end only, as in a trajectory. To be called once.
  virtual PolicyOutput output(const Trajectory& trajectory) = 0;
};

class Policy {
 public:
  virtual ~Policy() = default;

  /// Rows of the result are those of the input.
  virtual PolicyOutput forward(const PolicyInput& input) const = 0;

  /// Both are to be used before the weights change. There may be no recorder: null.
  virtual std::unique_ptr<Stepper> stepper(const StepperOptions& options = {}) const;
  /// What a roll-in without a recorder draws by. It is the loss that says which actions are how
  /// good; to draw the states that it is asked at, fewer bits may be enough.
  virtual std::unique_ptr<Stepper> drawing_stepper(std::optional<WordId> start) const {
    return stepper({.start = start});
  }
  virtual std::unique_ptr<Recorder> recorder(const Recording&) const { return nullptr; }

  virtual const OutputHeads& heads() const = 0;
  OutputLayer output() const { return heads().words(); }

  /// Every weight once, in a fixed order. The tensors are the policy's own.
  virtual NamedTensors parameters() const = 0;

  /// Every matrix of the vocabulary's word vectors [vocabulary, embedding], for pre-trained ones.
  virtual std::vector<torch::Tensor> word_vectors() const = 0;

  const PolicyOptions& options() const { return options_; }
  /// What is read before the first action.
  WordId start() const { return start_; }

 protected:
  Policy(const PolicyOptions& options, WordId start) : options_(options), start_(start) {}

 private:
  PolicyOptions options_;
  WordId start_;
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
  bool drawn = true;  // false: the weights are whatever they are, to be filled from a file
  WordId start = kStart;
  torch::Device device = torch::kCPU;
};

/// UsageError for options that don't go together.
std::unique_ptr<Policy> make_policy(const PolicyRequest& request);

}  // namespace bough
