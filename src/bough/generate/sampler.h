// Choosing one action from a policy's scores.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bough/base/options.h"
#include "bough/base/random.h"
#include "bough/model/action_distribution.h"
#include "bough/text/vocabulary.h"

namespace bough {

enum class Decode { kSample, kGreedy };
template <>
struct EnumNames<Decode> {
  static constexpr auto kNames =
      std::to_array<EnumName<Decode>>({{Decode::kSample, "sample"}, {Decode::kGreedy, "greedy"}});
};

enum class EndRule { kAuto, kArgmax, kThreshold, kSample };
template <>
struct EnumNames<EndRule> {
  static constexpr auto kNames =
      std::to_array<EnumName<EndRule>>({{EndRule::kAuto, "auto"},
                                        {EndRule::kArgmax, "argmax"},
                                        {EndRule::kThreshold, "threshold"},
                                        {EndRule::kSample, "sample"}});
};

struct SamplerOptions {
  Decode decode = Decode::kSample;
  EndRule end_rule = EndRule::kAuto;
  double end_threshold = 0.5;
  double end_temperature = 1.0;
  double length_bias = 0.0;
  double length_ratio = 1.0;
  double temperature = 1.0;
  int64_t top_k = 0;
  double top_p = 1.0;
  bool allow_unknown = false;

  void declare(OptionSet& set) {
    set.group("Choosing words");
    set.choice("decode", decode, "sample, or take the best action at every step");
    set.choice("end-rule", end_rule,
               "argmax: <end> competes with the words; threshold: it is taken where its "
               "probability reaches --end-threshold; sample: it is drawn by its probability, "
               "however words are chosen (in a beam it competes); auto: threshold with an <end> "
               "head, else argmax. With --shape arity a word's sides are closed by it, as <end> "
               "closes slots; in a beam they compete whatever it says");
    set.number("end-threshold", end_threshold, {0.0, 1.0}, "see --end-rule");
    set.number("end-temperature", end_temperature, {1e-3, 1e3},
               "divides the <end> head's logit, or those of a word's sides; `bough tune` finds "
               "the one that makes the head's probabilities true");
    set.number("length-bias", length_bias, {0.0, 100.0},
               "lowers the logit of <end>, or of a closed side, by this for each word that is "
               "still expected at a slot: (--length-ratio × the source's length − words so far) / "
               "open slots");
    set.number("length-ratio", length_ratio, {1e-3, 1e3},
               "words (or pieces) that are written for one of the source");
    set.number("temperature", temperature, {1e-3, 1e3}, "divides the logits before sampling");
    set.integer("top-k", top_k, {0, 1'000'000'000}, "sample among the k best actions; 0: all");
    set.number("top-p", top_p, {0.0, 1.0},
               "sample among the best actions that hold this much of the probability");
    set.flag("allow-unknown", allow_unknown, "let <unk> stand for words outside the vocabulary");
  }
};

/// What may be done at a slot.
struct Allowed {
  bool end = true;
  bool word = true;        // at least one of the two
  bool unknown = false;    // whether <unk> is one of the words whatever the options say
  bool avoids = false;     // whether so many words may be forbidden that none is left
  double words_due = 0.0;  // how many are expected to come at the slot; below 0: too many are there
  AllowedSides sides = {true, true, true, true};  // where words come with them
};

/// Whether a slot is closed, by the end rule.
enum class Stop { kYes, kNo, kOpen };  // kOpen: <end> competes with the words

class Sampler {
 public:
  explicit Sampler(const SamplerOptions& options) : options_(options) {}

  /// Makes <end>, or closed sides, as likely as the options say where so many words are due.
  void adjust_end(ActionDistribution& slot, double words_due) const;

  /// Decides about <end>, as adjusted, as far as the rule does, and forbids what is no word, and
  /// <end> where it was decided against.
  Stop decide(ActionDistribution& slot, const Allowed& allowed) const;

  /// What the slot is filled with; its logits are used up. None where nothing is left.
  std::optional<Action> choose(ActionDistribution& slot, const Allowed& allowed,
                               RandomStream& random) const;

  /// The sides of a word that is to fill the slot: both where words don't come with them.
  Sides choose_sides(const ActionDistribution& slot, WordId word, const AllowedSides& allowed,
                     RandomStream& random) const;

 private:
  /// Where one stands, sampled or best, of the actions whose logit isn't −∞.
  int64_t pick(std::span<float> logits, RandomStream& random) const;
  /// Sampled from the best ones, as far as --top-k and --top-p go.
  int64_t pick_from_best(std::span<const float> logits, RandomStream& random) const;

  SamplerOptions options_;
};

}  // namespace bough
