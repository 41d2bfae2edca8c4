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

#include "bough/base/options.h"
#include "bough/model/named_tensors.h"
#include "bough/model/packed_weight.h"
#include "bough/model/slot_context.h"
#include "bough/model/stepper.h"
#include "bough/model/torch.h"
#include "bough/model/transformer_options.h"
#include "bough/oracle/trajectory.h"

namespace bough {

enum class PolicyKind { kLstm, kTransformer };
template <>
struct EnumNames<PolicyKind> {
  static constexpr std::array<std::pair<PolicyKind, std::string_view>, 2> kNames{
      {{PolicyKind::kLstm, "lstm"}, {PolicyKind::kTransformer, "transformer"}}};
};

enum class OutputKind { kTied, kUntied };
template <>
struct EnumNames<OutputKind> {
  static constexpr std::array<std::pair<OutputKind, std::string_view>, 2> kNames{
      {{OutputKind::kTied, "tied"}, {OutputKind::kUntied, "untied"}}};
};

enum class EncoderKind { kNone, kBag, kBilstm, kTransformer };
template <>
struct EnumNames<EncoderKind> {
  static constexpr std::array<std::pair<EncoderKind, std::string_view>, 4> kNames{
      {{EncoderKind::kNone, "none"},
       {EncoderKind::kBag, "bag"},
       {EncoderKind::kBilstm, "bilstm"},
       {EncoderKind::kTransformer, "transformer"}}};
};

enum class BagState { kEveryStep, kStart };
template <>
struct EnumNames<BagState> {
  static constexpr std::array<std::pair<BagState, std::string_view>, 2> kNames{
      {{BagState::kEveryStep, "every-step"}, {BagState::kStart, "start"}}};
};

struct PolicyOptions {
  PolicyKind policy = PolicyKind::kLstm;
  EncoderKind encoder = EncoderKind::kNone;
  int64_t layers = 2;
  int64_t hidden_size = 1024;
  int64_t embedding_size = 300;
  OutputKind output = OutputKind::kTied;
  double dropout = 0.0;
  bool end_head = false;
  SlotContext slot_context = SlotContext::kNone;
  BagState bag_state = BagState::kEveryStep;
  TransformerOptions transformer{};

  void declare(OptionSet& set) {
    set.group("Policy");
    set.choice("policy", policy, "the network");
    set.choice("encoder", encoder, "what reads a source; follows from --task and --policy");
    set.integer("layers", layers, {1, 64}, "layers of the policy, and of an encoder");
    set.integer("hidden-size", hidden_size, {1, 65536}, "units of a layer");
    set.integer("embedding-size", embedding_size, {1, 65536}, "width of a word's vector");
    set.choice("output-layer", output,
               "whether the output layer shares the word vectors' matrix or has its own");
    set.number("dropout", dropout, {0.0, 0.99}, "share of units dropped while training");
    set.flag("end-head", end_head, "predict <end> by a head of its own");
    set.choice(
        "slot-context", slot_context,
        "what the policy is told about the slot it fills: the words on both sides of it, its "
        "path from the root, both, or (as in the paper) nothing");
    set.choice("bag-state", bag_state,
               "whether the bag's vector is added to the state before every step (as the paper's "
               "program does) or at the start only");
    transformer.declare(set);
  }
};

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

/// How weights start.
struct InitialiseOptions {
  std::string embeddings;
  double embedding_scale = 1.0;

  void declare(OptionSet& set) {
    set.text("embeddings", embeddings, "FILE",
             "start from these word vectors (GloVe's text format)");
    set.number("embedding-scale", embedding_scale, {0.0, 100.0},
               "other word vectors start from N(0, 1) times this");
  }
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
