// The numbers of feature keys: a hash table whose keys are hashes already.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "bough/analysis/tagger_features.h"

namespace bough {

class FeatureTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  /// Key i gets the number i; no key stands twice.
  explicit FeatureTable(std::span<const FeatureKey> keys = {})
      : slots_(std::bit_ceil(2 * keys.size() + 1)) {
    for (size_t i = 0; i < keys.size(); ++i) {
      slots_[slot_of(keys[i])] = {keys[i], static_cast<uint32_t>(i)};
    }
  }

  /// kNone for a key that isn't in it.
  uint32_t find(FeatureKey key) const { return slots_[slot_of(key)].number; }

 private:
  struct Slot {
    FeatureKey key = 0;
    uint32_t number = kNone;
  };

  /// Where the key is, or where it would be.
  size_t slot_of(FeatureKey key) const {
    size_t mask = slots_.size() - 1;
    size_t at = key & mask;
    while (slots_[at].number != kNone && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }

  std::vector<Slot> slots_;  // at most half full; their number is a power of two
};

}  // namespace bough
