// How far a sequence of numbers is in ascending order, from 0 (descending) to 1.
#pragma once

#include <span>

namespace bough {

/// Kendall's: the share of pairs that ascend. An equal pair doesn't. Two numbers or more.
double normalized_kendall(std::span<const int> numbers);

/// Spearman's: (ρ + 1) / 2, where ρ is the correlation of the numbers' ranks with their places;
/// equal numbers share their mean rank. One half where all are equal. Two numbers or more.
double normalized_spearman(std::span<const int> numbers);

}  // namespace bough
