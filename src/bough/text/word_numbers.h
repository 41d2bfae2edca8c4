// Distinct words, numbered in the order in which they came: a compact hash table that keeps the
// words in one piece of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bough {

class WordNumbers {
 public:
  static constexpr uint32_t kUnknown = UINT32_MAX;

  /// The word's number; a new one where it has none.
  uint32_t add(std::string_view word);
  /// The word's number, or kUnknown.
  uint32_t find(std::string_view word) const;
  /// `add` for each.
  std::vector<uint32_t> add_all(std::span<const std::string_view> words);
  std::string_view word(uint32_t number) const;
  uint32_t size() const { return static_cast<uint32_t>(ends_.size()); }

 private:
  /// Where the word's number is in `slots_`, or where it would be.
  size_t slot_of(std::string_view word) const;
  void grow();

  std::string text_;            // all words, one behind the other
  std::vector<uint32_t> ends_;  // of the words in it
  std::vector<uint32_t> slots_;
};

}  // namespace bough
