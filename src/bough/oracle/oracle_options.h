// What the learner imitates, and how the imitation changes over the epochs.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "bough/base/options.h"

namespace bough {

enum class OracleKind {
  kUniform,
  kCoaching,
  kAnnealed,
  kLeftRight,
  kRightLeft,
  kBalanced,
  kContentFirst
};
enum class AnnealFrom { kUniform, kLeftRight, kBalanced };
enum class Duplicates { kUniform, kLeftMost };
enum class CoachingRollIn { kSample, kGreedy };
enum class RollIn { kOracle, kMixed, kPolicy };

template <>
struct EnumNames<OracleKind> {
  static constexpr auto kNames =
      std::to_array<EnumName<OracleKind>>({{OracleKind::kUniform, "uniform"},
                                           {OracleKind::kCoaching, "coaching"},
                                           {OracleKind::kAnnealed, "annealed"},
                                           {OracleKind::kLeftRight, "left-right"},
                                           {OracleKind::kRightLeft, "right-left"},
                                           {OracleKind::kBalanced, "balanced"},
                                           {OracleKind::kContentFirst, "content-first"}});
};

template <>
struct EnumNames<AnnealFrom> {
  static constexpr auto kNames =
      std::to_array<EnumName<AnnealFrom>>({{AnnealFrom::kUniform, "uniform"},
                                           {AnnealFrom::kLeftRight, "left-right"},
                                           {AnnealFrom::kBalanced, "balanced"}});
};

template <>
struct EnumNames<Duplicates> {
  static constexpr auto kNames = std::to_array<EnumName<Duplicates>>(
      {{Duplicates::kUniform, "uniform"}, {Duplicates::kLeftMost, "left-most"}});
};

template <>
struct EnumNames<CoachingRollIn> {
  static constexpr auto kNames = std::to_array<EnumName<CoachingRollIn>>(
      {{CoachingRollIn::kSample, "sample"}, {CoachingRollIn::kGreedy, "greedy"}});
};

template <>
struct EnumNames<RollIn> {
  static constexpr auto kNames = std::to_array<EnumName<RollIn>>(
      {{RollIn::kOracle, "oracle"}, {RollIn::kMixed, "mixed"}, {RollIn::kPolicy, "policy"}});
};

/// β by epoch: 1 for `burn_in` epochs, then lower by `rate` each epoch, never below `floor`.
struct BetaSchedule {
  double rate = 0.05;
  int64_t burn_in = 0;
  double floor = 0.0;

  /// `epoch` counts from 0.
  double at(int64_t epoch) const {
    return std::clamp(1.0 - rate * static_cast<double>(std::max<int64_t>(0, epoch - burn_in)),
                      floor, 1.0);
  }
};

struct OracleOptions {
  OracleKind oracle = OracleKind::kAnnealed;
  std::vector<OracleKind> orders = {};
  Duplicates duplicates = Duplicates::kUniform;
  bool whole_words = false;
  double balance = 1.0;
  int64_t frequent_words = 20;
  AnnealFrom anneal_from = AnnealFrom::kUniform;
  double uniform_share = 0.1;
  BetaSchedule loss_beta{};
  static constexpr double kAsLoss = -1.0;
  static constexpr double kAsTask = -2.0;  // settled before training
  double rollin_beta_rate = kAsTask;
  int64_t rollin_beta_burn_in = -1;
  CoachingRollIn coaching_rollin = CoachingRollIn::kSample;
  RollIn rollin = RollIn::kOracle;
  double rollin_mix = 0.5;

  void declare(OptionSet& set) {
    set.group("Oracle");
    set.choice("oracle", oracle, "whom the policy imitates");
    set.choices(
        "orders", orders,
        "instead of --oracle two or three of these, one drawn for each batch: the model can "
        "write in each of the orders then (`--order NAME`), in the first if none is named");
    set.choice("duplicates", duplicates, "which of several equal words of a span is taken");
    set.flag("whole-words", whole_words,
             "a word that is cut into pieces is put whole: its first piece anywhere, the others "
             "from left to right behind it");
    set.number("balance", balance, {0.01, 1000.0},
               "balanced: how fast the weight falls off from the span's middle, in words");
    set.integer("frequent-words", frequent_words, {1, 10'000'000},
                "content-first: so many of the vocabulary's most frequent words come after the "
                "others, which are put from left to right");
    set.choice("anneal-from", anneal_from,
               "annealed: the oracle that beta is the share of; with others than uniform …");
    set.number("uniform-share", uniform_share, {0.001, 1.0},
               "… so much of it goes to all words of a span alike");
    set.number("beta-rate", loss_beta.rate, {0.0, 1.0},
               "annealed: how much beta, the fixed oracle's share, falls each epoch");
    set.number("beta-floor", loss_beta.floor, {0.0, 1.0}, "annealed: beta never falls below this");
    set.integer("beta-burn-in", loss_beta.burn_in, {0, 1'000'000},
                "annealed: epochs before beta begins to fall");
    set.number(
        "rollin-beta-rate", rollin_beta_rate, {kAsTask, 1.0},
        "annealed: the same for the roll-in's beta; -1: as --beta-rate, which gives higher "
        "likelihoods; 0: it stays, which gives better samples; -2: 0 for --task lm, else -1");
    set.integer("rollin-beta-burn-in", rollin_beta_burn_in, {-1, 1'000'000},
                "annealed: the same for the roll-in's beta; -1: as --beta-burn-in");
    set.choice("coaching-rollin", coaching_rollin,
               "how the roll-in follows the policy's preference among right words");
    set.choice("rollin", rollin,
               "who walks the training trees: the oracle, the policy, or a mix of both");
    set.number("rollin-mix", rollin_mix, {0.0, 1.0},
               "mixed: the probability of the policy's own action at a step");
  }

  /// The same for one of the orders.
  OracleOptions in_order(OracleKind order) const {
    OracleOptions own = *this;
    own.oracle = order;
    own.orders.clear();
    return own;
  }

  /// The fixed oracle's share in the loss's target.
  double beta_of_loss(int64_t epoch) const { return share(loss_beta.at(epoch)); }

  /// The fixed oracle's share in the roll-in.
  double beta_of_rollin(int64_t epoch) const {
    BetaSchedule schedule{
        .rate = rollin_beta_rate < 0.0 ? loss_beta.rate : rollin_beta_rate,
        .burn_in = rollin_beta_burn_in < 0 ? loss_beta.burn_in : rollin_beta_burn_in,
        .floor = loss_beta.floor};
    return share(schedule.at(epoch));
  }

 private:
  double share(double annealed) const {
    if (oracle == OracleKind::kCoaching) return 0.0;
    return oracle == OracleKind::kAnnealed ? annealed : 1.0;
  }
};

}  // namespace bough
