// TER's edits: a block of words moved elsewhere counts one, like an insertion, a deletion or a
// substitution.
//
// The fewest edits are too hard to find, so tercom moves one block at a time: of all promising
// shifts the one that saves most, until none saves anything. What counts as promising, which of
// equal shifts is taken and when the search gives up is part of the metric's definition; it is
// sacreBLEU's here.
#pragma once

#include <cstdint>
#include <span>

namespace bough {

/// The edits from a hypothesis to a reference, both as numbered words.
int64_t edits_with_shifts(std::span<const uint32_t> hypothesis,
                          std::span<const uint32_t> reference);

}  // namespace bough
