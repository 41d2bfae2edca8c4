#include "bough/text/word_numbers.h"

#include <algorithm>

#include "bough/base/file.h"

namespace bough {

std::string_view WordNumbers::word(uint32_t number) const {
  size_t begin = number == 0 ? 0 : ends_[number - 1];
  return std::string_view(text_).substr(begin, ends_[number] - begin);
}

size_t WordNumbers::slot_of(std::string_view word) const {
  size_t mask = slots_.size() - 1;
  size_t slot = stable_hash(word) & mask;
  while (slots_[slot] != kUnknown && this->word(slots_[slot]) != word) slot = (slot + 1) & mask;
  return slot;
}

uint32_t WordNumbers::find(std::string_view word) const {
  return slots_.empty() ? kUnknown : slots_[slot_of(word)];
}

uint32_t WordNumbers::add(std::string_view word) {
  if (2 * ends_.size() >= slots_.size()) grow();
  uint32_t& number = slots_[slot_of(word)];
  if (number == kUnknown) {
    number = size();
    text_ += word;
    ends_.push_back(static_cast<uint32_t>(text_.size()));
  }
  return number;
}

std::vector<uint32_t> WordNumbers::add_all(std::span<const std::string_view> words) {
  std::vector<uint32_t> numbers;
  numbers.reserve(words.size());
  for (std::string_view word : words) numbers.push_back(add(word));
  return numbers;
}

void WordNumbers::grow() {
  slots_.assign(std::max<size_t>(64, 2 * slots_.size()), kUnknown);
  for (uint32_t number = 0; number < size(); ++number) slots_[slot_of(word(number))] = number;
}

}  // namespace bough
