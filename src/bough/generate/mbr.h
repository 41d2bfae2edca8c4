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
  static constexpr std::array<std::pair<MbrMetric, std::string_view>, 2> kNames{
      {{MbrMetric::kBleu, "bleu"}, {MbrMetric::kChrf, "chrf"}}};
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

/// The index of the candidate with the highest mean sentence score against all others; of equal
/// ones the first. At least one candidate; words are parted by spaces.
size_t most_like_the_others(std::span<const std::string> candidates, MbrMetric metric);

}  // namespace bough
