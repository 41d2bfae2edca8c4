// Edit distance over words (Levenshtein's): how many words have to be inserted, deleted or
// replaced. As a metric, its mean over sentences; by the words of the reference it is the word
// error rate.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "bough/metrics/metric.h"

namespace bough {

struct EditOptions {
  bool lowercase = false;
};

int64_t edit_distance(std::span<const std::string_view> a, std::span<const std::string_view> b);

/// Words are what stands between white space. Of several references, the one with the fewest edits
/// counts, and of several such ones the longest.
std::unique_ptr<Metric> make_edit_distance(const EditOptions& options);

}  // namespace bough
