// RIBES (Isozaki et al., 2010): how well the words of a hypothesis keep the order they have in the
// reference, as RIBES.py 1.03.1 computes it.
//
// A hypothesis word is matched with the reference word that it can't be mistaken about: the one of
// the same form, if that stands once in either sentence, else the one in the shortest n-gram that
// ends (or, second choice, begins) with the word and stands once in either. Words without such a
// context are left out. The rank correlation of the places found, times the share of words matched
// and a brevity penalty, each to its power, is the score of a sentence; the mean is that of a text.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bough/base/options.h"
#include "bough/metrics/metric.h"

namespace bough {

enum class RankCorrelation { kKendall, kSpearman };

template <>
struct EnumNames<RankCorrelation> {
  static constexpr auto kNames = std::to_array<EnumName<RankCorrelation>>(
      {{RankCorrelation::kKendall, "kendall"}, {RankCorrelation::kSpearman, "spearman"}});
};

struct RibesOptions {
  double alpha = 0.25;
  double beta = 0.10;
  RankCorrelation correlation = RankCorrelation::kKendall;
  bool case_sensitive = false;

  void declare(OptionSet& set) {
    set.number("ribes-alpha", alpha, {0.0, 100.0}, "RIBES: the power of the unigram precision");
    set.number("ribes-beta", beta, {0.0, 100.0}, "RIBES: the power of the brevity penalty");
    set.choice("ribes-correlation", correlation, "RIBES: which rank correlation");
    set.flag("ribes-case-sensitive", case_sensitive, "RIBES: upper and lower case differ");
  }
};

/// What a sentence's score is the product of.
struct RibesParts {
  double correlation = 0.0;  // from 0 (reversed) to 1
  double precision = 0.0;
  double brevity_penalty = 0.0;

  double score(const RibesOptions& options) const;
};

/// The places in the reference of those hypothesis words that can be matched, in the hypothesis's
/// order.
std::vector<int> matched_places(std::span<const std::string_view> hypothesis,
                                std::span<const std::string_view> reference);

/// All zero where either sentence has no words.
RibesParts ribes_parts(std::span<const std::string_view> hypothesis,
                       std::span<const std::string_view> reference, RankCorrelation correlation);

/// The parts for the reference that scores best (the first of several); case as `options` say.
RibesParts best_ribes_parts(const Segment& segment, const RibesOptions& options);

std::unique_ptr<Metric> make_ribes(const RibesOptions& options);

}  // namespace bough
