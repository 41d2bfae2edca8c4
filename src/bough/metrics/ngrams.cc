#include "bough/metrics/ngrams.h"

#include <algorithm>
#include <bit>

#include "bough/base/random.h"

namespace bough {

NgramNumbers::NgramNumbers(size_t expected)
    : slots_(std::bit_ceil(std::max<size_t>(16, 2 * expected))) {}

size_t NgramNumbers::slot_of(uint64_t key) const {
  size_t mask = slots_.size() - 1;
  size_t at = mix_bits(key) & mask;
  while (slots_[at].number != kNone && slots_[at].key != key) at = (at + 1) & mask;
  return at;
}

uint32_t NgramNumbers::add(uint32_t prefix, uint32_t symbol) {
  uint64_t key = uint64_t{prefix} << 32 | symbol;
  size_t at = slot_of(key);
  if (slots_[at].number != kNone) return slots_[at].number;
  if (2 * (size_ + size_t{1}) > slots_.size()) {
    grow();
    at = slot_of(key);
  }
  slots_[at] = {key, size_};
  return size_++;
}

uint32_t NgramNumbers::find(uint32_t prefix, uint32_t symbol) const {
  return slots_[slot_of(uint64_t{prefix} << 32 | symbol)].number;
}

void NgramNumbers::grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.number != kNone) slots_[slot_of(slot.key)] = slot;
  }
}

namespace {

/// Calls use(number, times) for each distinct number; sorts them.
template <typename Use>
void for_each_count(std::vector<uint32_t>& numbers, Use use) {
  std::sort(numbers.begin(), numbers.end());
  for (size_t begin = 0; begin < numbers.size();) {
    size_t end = begin + 1;
    while (end < numbers.size() && numbers[end] == numbers[begin]) ++end;
    use(numbers[begin], static_cast<int32_t>(end - begin));
    begin = end;
  }
}

}  // namespace

NgramMaxima::NgramMaxima(size_t max_order, size_t expected_symbols)
    : max_order_(max_order), numbers_(max_order * expected_symbols) {
  maxima_.reserve(max_order * expected_symbols);
}

void NgramMaxima::add(std::span<const uint32_t> symbols) {
  std::vector<uint32_t> found;
  found.reserve(max_order_ * symbols.size());
  for (size_t begin = 0; begin < symbols.size(); ++begin) {
    uint32_t ngram = NgramNumbers::kNone;
    for (uint32_t symbol : symbols.subspan(begin, std::min(max_order_, symbols.size() - begin))) {
      ngram = numbers_.add(ngram, symbol);
      found.push_back(ngram);
    }
  }
  maxima_.resize(numbers_.size());
  for_each_count(found, [&](uint32_t number, int32_t times) {
    Maximum& maximum = maxima_[number];
    if (times > maximum.most) {
      maximum = {.most = times, .second = maximum.most, .owner = references_};
    } else {
      maximum.second = std::max(maximum.second, times);
    }
  });
  ++references_;
}

std::vector<int64_t> NgramMaxima::matches(std::span<const uint32_t> symbols,
                                          int64_t left_out) const {
  std::vector<int64_t> result(max_order_);
  // The number of the n-gram that begins at each place; it grows by a symbol from order to order.
  std::vector<uint32_t> ngrams(symbols.size(), NgramNumbers::kNone);
  std::vector<uint32_t> found;
  for (size_t order = 1; order <= std::min(max_order_, symbols.size()); ++order) {
    found.clear();
    for (size_t begin = 0; begin + order <= symbols.size(); ++begin) {
      if (order > 1 && ngrams[begin] == NgramNumbers::kNone) continue;
      ngrams[begin] = numbers_.find(ngrams[begin], symbols[begin + order - 1]);
      if (ngrams[begin] != NgramNumbers::kNone) found.push_back(ngrams[begin]);
    }
    for_each_count(found, [&](uint32_t number, int32_t times) {
      const Maximum& maximum = maxima_[number];
      bool own = left_out != kNobody && maximum.owner == left_out;
      result[order - 1] += std::min(times, own ? maximum.second : maximum.most);
    });
  }
  return result;
}

}  // namespace bough
