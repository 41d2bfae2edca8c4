// The probability of an action at a slot: the one definition, for sampling, searching, scoring,
// rolling in and reporting.
//
//     without an <end> head   softmax over the logits of all actions that may be taken
//     with one                p(<end>) = σ(end logit)
//                             p(word) = (1 − p(<end>)) · softmax over the words
//
// The second is a softmax, too: over the words' logits and, for <end>, its head's logit plus the
// words' log-sum (<end>'s own place among the words says nothing then). So in both cases there is
// one row of logits (`joint`) whose softmax is the distribution, and an action that may not be
// taken has −∞ there. What is forbidden among the words leaves p(<end>) alone where a head says it.
//
// Where words come with their open sides (tree/shape.h), an action is a word and its sides, and
//
//     p(word, sides) = p(word) · softmax over the sides, given the word
//
// Where a sentence is written with some listed words only, the row has these alone; all others are
// forbidden. The special symbols are always listed, so that they have their places in every row.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "bough/model/kernels/rows.h"
#include "bough/model/stepper.h"
#include "bough/text/vocabulary.h"
#include "bough/tree/trace.h"

namespace bough {

class ActionDistribution {
 public:
  /// `logits` of all actions, which this writes to and which must outlive it; `end_logit` of the
  /// <end> head, or null. With `listed`, rising numbers that must outlive it, too, there are logits
  /// of these actions only.
  ActionDistribution(std::span<float> logits, const float* end_logit,
                     std::span<const WordId> listed = {});
  /// At a row of a stepper, which must not go on while this is used.
  ActionDistribution(std::span<float> logits, const Stepper& stepper, int64_t row,
                     std::span<const WordId> listed = {});

  /// The action whose logit stands at this place of the row.
  WordId action_at(int64_t place) const {
    return listed_.empty() ? static_cast<WordId>(place) : listed_[static_cast<size_t>(place)];
  }
  /// −∞ for a forbidden one.
  float logit(WordId action) const {
    int64_t place = place_of(action);
    return place < 0 ? kForbidden : logits_[static_cast<size_t>(place)];
  }

  /// Whether words come with their sides.
  bool has_sides() const { return sides_ != nullptr; }
  /// The log-probability of each of a word's, where they do.
  SideScores side_logprobs(WordId word) const;

  bool has_end_head() const { return end_logit_.has_value(); }

  /// The logit of <end> over `temperature` (a head's only), and this much higher. Of sides: all
  /// logits over `temperature`, and so much higher for each closed one.
  void adjust_end(double temperature, double bias);

  void forbid(WordId word) {
    int64_t place = place_of(word);
    if (place >= 0) logits_[static_cast<size_t>(place)] = kForbidden;
  }
  /// Leaves these words; <end> stays as it is.
  void forbid_all_but(std::span<const WordId> words);
  void forbid_end();

  double end_probability() const;

  /// The logits whose softmax it is. Nothing may be adjusted from now on.
  std::span<float> joint();

  /// log Σ exp of joint(): what an action's logit there is compared with. What is forbidden from
  /// now on is kept out, but its probability isn't given to the others.
  double log_sum();

  /// Each after joint(): log-probability of a word or <end>, −∞ for a forbidden one, and the
  /// entropy; words' sides aside.
  double logprob(WordId word);
  double entropy();
  /// Of a word with its sides.
  double logprob(Action action);
  /// An action's, with the so many likeliest words beside it.
  StepScore score(Action action, int64_t alternatives);

 private:
  friend class KeptDistribution;

  static constexpr float kForbidden = -std::numeric_limits<float>::infinity();

  const Distribution& totals();
  /// Where an action's logit stands, or -1.
  int64_t place_of(WordId action) const;

  std::span<float> logits_;
  std::span<const WordId> listed_;   // none: all
  std::optional<double> end_logit_;  // of a head
  const Stepper* sides_ = nullptr;   // which says them
  int64_t row_ = 0;                  // of it
  double side_temperature_ = 1.0;
  double closed_bias_ = 0.0;
  bool may_end_ = true;
  bool joined_ = false;
  std::optional<Distribution> totals_;
};

/// A distribution as it was, with logits of its own: what a policy said before anything was
/// forbidden.
class KeptDistribution : public ActionDistribution {
 public:
  explicit KeptDistribution(const ActionDistribution& slot)
      : ActionDistribution(slot), own_(slot.logits_.begin(), slot.logits_.end()) {
    logits_ = own_;
  }
  KeptDistribution(const KeptDistribution&) = delete;
  KeptDistribution& operator=(const KeptDistribution&) = delete;

 private:
  std::vector<float> own_;
};

}  // namespace bough
