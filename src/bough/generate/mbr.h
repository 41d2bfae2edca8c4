// Minimum Bayes risk: of several samples, the one most like the others.
//
// The likeliest sentence is seldom the best, and the policy's probability is spread over many trees
// of the same sentence. Samples show where it agrees with itself: the one with the highest mean
// score against the others is taken.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bough/base/options.h"

namespace bough {

enum class MbrMetric { kBleu, kChrf };
template <>
struct EnumNames<MbrMetric> {
  static constexpr auto kNames =
      std::to_array<EnumName<MbrMetric>>({{MbrMetric::kBleu, "bleu"}, {MbrMetric::kChrf, "chrf"}});
};

struct MbrOptions {
  int64_t samples = 0;
  MbrMetric metric = MbrMetric::kBleu;

  void declare(OptionSet& set) {
    set.integer("mbr", samples, {0, 10'000},
                "sample so many and take the one most like the others; 0: off");
    set.choice("mbr-metric", metric, "what being alike means to --mbr");
  }
};

/// How much the others agree with a candidate.
struct Vote {
  size_t index = 0;    // the first of equal candidates
  double score = 0.0;  // the mean of its sentence scores against all others
};

/// Each different candidate once, the most agreed on first. Words are parted by spaces.
std::vector<Vote> rank_by_agreement(std::span<const std::string> candidates, MbrMetric metric);

}  // namespace bough
