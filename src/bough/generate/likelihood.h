// How likely a sentence is: the sum over all trees that it can be written as.
//
// A tree of the sentence takes, at each slot, a place of the slot's span, or <end> where the span
// is empty; equal words at several places are several trees. Draw trees place by place by some
// probabilities q, and give each the weight W = Π π/q over its steps: then W has the sentence's
// probability as its expectation (weighted_draws.h). q is in proportion to π to a power: 1 is the
// coaching policy, for which W is the product of the slots' right mass, 0 the uniform oracle. The
// nearer q is to how the model shares out its probability, the better: that is mostly how it was
// trained. All trees of a sentence can also be walked, and summed: there are 1, 2, 5, 14, 42, … of
// 1, 2, 3, 4, 5, … words.
//
// Trees of a sentence grow side by side as rows of one job (running_batch.h); those that have been
// the same so far are one row. Where draws part, as many of a row's draws go each way as their
// probability says, and only what is left is drawn (stratified), or each is drawn by itself.
//
// An order that allows one tree (left-right, right-left) is the same sum with one place at each
// slot: its only tree's probability.
//
// π is what the policy says of all actions. Decoding never takes some of them (<unk> and symbols
// that stand for no word), so it writes what it can write a little more often than this says.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bough/base/options.h"
#include "bough/generate/running_batch.h"
#include "bough/generate/weighted_draws.h"
#include "bough/model/orders.h"
#include "bough/oracle/oracle.h"

namespace bough {

enum class TreeDraws { kStratified, kIndependent };
template <>
struct EnumNames<TreeDraws> {
  static constexpr auto kNames = std::to_array<EnumName<TreeDraws>>(
      {{TreeDraws::kStratified, "stratified"}, {TreeDraws::kIndependent, "independent"}});
};

/// All trees of a sentence are walked up to so many words.
constexpr int64_t kMostExactWords = 9;

/// How many trees a sentence of so many words has; as a number with a fraction, for many words have
/// more than integers can count.
double tree_count(int64_t words);

struct LikelihoodOptions {
  int64_t samples = 64;
  bool exact = false;
  TreeDraws draws = TreeDraws::kStratified;
  double coaching = -1.0;

  void declare(OptionSet& set) {
    set.integer("samples", samples, {1, 1'000'000}, "trees drawn for a sentence");
    set.choice("draws", draws,
               "stratified: where draws part, as many go each way as their probability says; "
               "independent: each is drawn by itself");
    set.number("coaching", coaching, {-1.0, 10.0},
               "trees are drawn in proportion to the policy's probabilities to this power, 0: all "
               "places of a slot alike; below 0: 0 for models of the uniform oracle, else 0.75");
    set.flag("exact", exact,
             "sum over all trees; for sentences of up to nine words, or models with an order");
  }
};

/// What a sentence costs at the slots of a depth, in nats, on average over the trees drawn: which
/// words, and whether there is one at all (<end> or not).
struct DepthCost {
  double words = 0.0;
  double shape = 0.0;
  double slots = 0.0;  // how many there are

  DepthCost& operator+=(const DepthCost& other) {
    words += other.words;
    shape += other.shape;
    slots += other.slots;
    return *this;
  }
};

struct Likelihood {
  double logprob = 0.0;  // an estimate from below unless it is exact
  double bound = 0.0;    // the mean of log W
  int64_t trees = 0;     // drawn, or all
  int64_t steps = 0;     // asked of the policy: fewer than theirs, as trees share some
  double effective = 0.0;
  double variance = 0.0;  // of the estimated probability, over its square
  LogInterval interval{};
  bool exact = false;
  std::vector<DepthCost> costs = {};  // by depth; their sum is −bound
  /// By place, where they are asked for: other words that the policy would have put there, best
  /// first.
  std::vector<std::vector<WordId>> others = {};
};

/// e to what a word costs.
double perplexity_of(double logprob, int64_t words);

/// Of many sentences together.
struct LikelihoodTotals {
  int64_t sentences = 0;
  int64_t words = 0;
  double logprob = 0.0;
  double bound = 0.0;
  double effective = 0.0;  // summed
  double variance = 0.0;
  bool exact = true;
  std::vector<DepthCost> costs = {};

  void add(const Likelihood& sentence, int64_t its_words);
  /// 95 % of logprob, as far as the drawing of trees goes. What the sentences' logarithms are too
  /// low by doesn't cancel out, so it is counted upwards.
  LogInterval interval() const;
};

struct SentenceToScore {
  std::span<const WordId> words;
  SourceIds source = {};
  int64_t number = 0;  // names its draws
};

struct ScoreRequest {
  std::span<const SentenceToScore> sentences;
  int64_t batch_rows = 256;  // trees side by side; a sentence's own may be more
  uint64_t seed = 1;
  int64_t others = 0;                        // so many other words for each place
  std::function<void()> between_steps = {};  // ends it all by throwing
};

class LikelihoodScorer {
 public:
  /// By all trees, drawn as fits a model that was trained in this order, or by the only one that
  /// it allows.
  LikelihoodScorer(const LikelihoodOptions& options, const Order& order);

  /// Whether a sentence has one tree alone.
  bool has_order() const { return has_order_; }

  /// UnmetError, which says how many trees there are, where they are too many to walk.
  void check(int64_t words) const;

  /// Calls `take` for each sentence, in order. All of them have been checked.
  void score(JobRunner& runner, const ScoreRequest& request,
             const std::function<void(Likelihood&&)>& take) const;
  /// In a batch of its own.
  void score(Stepper& stepper, const ScoreRequest& request,
             const std::function<void(Likelihood&&)>& take) const {
    OwnBatch batch(stepper, request.batch_rows);
    score(batch, request, take);
  }

 private:
  /// A sentence's trees, or of those that are walked the ones with this root.
  struct Part {
    const SentenceToScore* sentence = nullptr;
    std::optional<size_t> root = {};
    bool last = true;
  };

  std::vector<Part> parts_of(std::span<const SentenceToScore> sentences) const;
  bool walks_all() const { return options_.exact || has_order_; }

  LikelihoodOptions options_;
  bool has_order_;
  std::shared_ptr<const Oracle> oracle_;
};

}  // namespace bough
