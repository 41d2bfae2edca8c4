// What a policy is made of, as options say it. No tensors here: who only declares or reads options
// need not know LibTorch.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "bough/base/options.h"
#include "bough/model/transformer_options.h"
#include "bough/tree/shape.h"

namespace bough {

enum class PolicyKind { kLstm, kTransformer };
template <>
struct EnumNames<PolicyKind> {
  static constexpr auto kNames = std::to_array<EnumName<PolicyKind>>(
      {{PolicyKind::kLstm, "lstm"}, {PolicyKind::kTransformer, "transformer"}});
};

enum class OutputKind { kTied, kUntied };
template <>
struct EnumNames<OutputKind> {
  static constexpr auto kNames = std::to_array<EnumName<OutputKind>>(
      {{OutputKind::kTied, "tied"}, {OutputKind::kUntied, "untied"}});
};

enum class EncoderKind { kNone, kBag, kBilstm, kTransformer };
template <>
struct EnumNames<EncoderKind> {
  static constexpr auto kNames =
      std::to_array<EnumName<EncoderKind>>({{EncoderKind::kNone, "none"},
                                            {EncoderKind::kBag, "bag"},
                                            {EncoderKind::kBilstm, "bilstm"},
                                            {EncoderKind::kTransformer, "transformer"}});
};

enum class SlotContext { kNone, kNeighbours, kPath, kBoth };
template <>
struct EnumNames<SlotContext> {
  static constexpr auto kNames =
      std::to_array<EnumName<SlotContext>>({{SlotContext::kNone, "none"},
                                            {SlotContext::kNeighbours, "neighbours"},
                                            {SlotContext::kPath, "path"},
                                            {SlotContext::kBoth, "both"}});
};

enum class BagState { kEveryStep, kStart };
template <>
struct EnumNames<BagState> {
  static constexpr auto kNames = std::to_array<EnumName<BagState>>(
      {{BagState::kEveryStep, "every-step"}, {BagState::kStart, "start"}});
};

/// Whether a policy can attend to what an encoder makes.
constexpr bool fits(PolicyKind policy, EncoderKind encoder) {
  switch (policy) {
    case PolicyKind::kLstm:
      return encoder != EncoderKind::kTransformer;
    case PolicyKind::kTransformer:
      return encoder != EncoderKind::kBilstm;
  }
  return false;
}

struct PolicyOptions {
  PolicyKind policy = PolicyKind::kLstm;
  EncoderKind encoder = EncoderKind::kNone;
  int64_t layers = 2;
  int64_t hidden_size = 1024;
  int64_t embedding_size = 300;
  OutputKind output = OutputKind::kTied;
  double dropout = 0.0;
  Shape shape = Shape::kEnd;
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
    set.choice("shape", shape,
               "how the tree's shape is told: by <end> at every empty slot, as in the paper, or by "
               "saying with each word on which sides of it there is something, in half the steps");
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

/// How weights start.
struct InitialiseOptions {
  std::string embeddings;
  double embedding_scale = 1.0;

  void declare(OptionSet& set) {
    set.text("embeddings", embeddings, "FILE",
             "start from these word vectors (GloVe's text format)")
        .may_change_on_resume();
    set.number("embedding-scale", embedding_scale, {0.0, 100.0},
               "other word vectors start from N(0, 1) times this");
  }
};

}  // namespace bough
