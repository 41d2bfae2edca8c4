// The k largest of many scores, without sorting them or copying them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bough {

/// Indices of the k largest scores, in some fixed order; of equal ones the first. Scores of −∞
/// don't count.
///
/// The scores are dealt into at least 2k small groups. The k-th largest of the groups' maxima is a
/// bound that at least k scores reach, and only the groups that reach it have to be looked at: one
/// pass over the scores and a little work on about k groups.
std::vector<int64_t> largest_k(std::span<const float> scores, int64_t k);

}  // namespace bough
