// N-grams without collisions and without strings.
//
// A sentence is a list of symbols (word numbers of text/word_numbers.h, or code points). An n-gram
// is named by a number, given on first sight to the pair (number of its first n-1 symbols, its last
// symbol): so the n-grams of all orders that begin at a place cost one look-up each, whatever their
// length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bough {

/// Numbers for n-grams: an open-addressing hash table from (prefix, symbol) to number.
class NgramNumbers {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;  // as a prefix: the empty n-gram

  explicit NgramNumbers(size_t expected = 0);

  uint32_t size() const { return size_; }
  /// The number of `prefix` continued by `symbol`; a new one on first sight.
  uint32_t add(uint32_t prefix, uint32_t symbol);
  /// The same, or kNone where it was never added.
  uint32_t find(uint32_t prefix, uint32_t symbol) const;

 private:
  struct Slot {
    uint64_t key = 0;
    uint32_t number = kNone;
  };

  size_t slot_of(uint64_t key) const;
  void grow();

  std::vector<Slot> slots_;  // a power of two of them, at most half full
  uint32_t size_ = 0;
};

/// How often each n-gram stands in a sentence at most, over a set of reference sentences.
class NgramMaxima {
 public:
  static constexpr int64_t kNobody = -1;

  /// Room for references of `expected_symbols` in all is made at once.
  explicit NgramMaxima(size_t max_order, size_t expected_symbols = 0);

  size_t max_order() const { return max_order_; }

  /// Adds a reference, the next in order.
  void add(std::span<const uint32_t> symbols);

  /// For each order, how many n-grams of a sentence the references cover; each counts as often as
  /// the reference that has it most often. `left_out` names a reference not to look at.
  std::vector<int64_t> matches(std::span<const uint32_t> symbols, int64_t left_out = kNobody) const;

 private:
  struct Maximum {
    int32_t most = 0;
    int32_t second = 0;       // the most of all references but `owner`
    int64_t owner = kNobody;  // a reference that has it `most` times
  };

  size_t max_order_;
  NgramNumbers numbers_;
  std::vector<Maximum> maxima_;
  int64_t references_ = 0;
};

/// How many n-grams a sentence of `length` symbols has.
constexpr int64_t ngram_count(size_t length, size_t order) {
  return length < order ? 0 : static_cast<int64_t>(length - order + 1);
}

}  // namespace bough
