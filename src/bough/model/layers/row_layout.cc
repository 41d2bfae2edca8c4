#include "bough/model/layers/row_layout.h"

#include <algorithm>
#include <numeric>

namespace bough {

RowLayout::RowLayout(const PackedSteps& steps) : begin_(1, 0), longest_(steps.steps()) {
  for (int64_t s = 0; s < steps.sentences(); ++s) {
    for (int64_t t = 0; t < steps.steps_of[static_cast<size_t>(s)]; ++t) {
      rows_.push_back(steps.offset_at[static_cast<size_t>(t)] + s);
    }
    begin_.push_back(rows());
  }
}

RowLayout::RowLayout(std::span<const int64_t> lengths) : begin_(1, 0) {
  for (int64_t length : lengths) {
    begin_.push_back(begin_.back() + length);
    longest_ = std::max(longest_, length);
  }
  rows_.resize(static_cast<size_t>(begin_.back()));
  std::iota(rows_.begin(), rows_.end(), 0);
}

std::vector<int64_t> RowLayout::sentence_of() const {
  std::vector<int64_t> sentence(rows_.size());
  for (int64_t s = 0; s < sentences(); ++s) {
    for (int64_t row : rows_of(s)) sentence[static_cast<size_t>(row)] = s;
  }
  return sentence;
}

}  // namespace bough
