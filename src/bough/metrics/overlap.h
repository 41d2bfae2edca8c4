// F1 and exact match: how much of a sentence's words are right, wherever they stand, and whether
// all of them are.
//
// Words are what stands between white space, and each counts as often as it occurs. Both are
// averages over sentences; of several references the best one counts. Two empty sentences match.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "bough/metrics/metric.h"

namespace bough {

struct Overlap {
  double precision = 0;
  double recall = 0;
  double f1 = 0;
};

Overlap word_overlap(std::span<const std::string_view> hypothesis,
                     std::span<const std::string_view> reference);

std::unique_ptr<Metric> make_f1(bool lowercase);
std::unique_ptr<Metric> make_exact_match(bool lowercase);

}  // namespace bough
