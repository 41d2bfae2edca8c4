// Which rows of a packed matrix belong to which sentence.
//
// All that works row by row (products, norms, dropout) runs on packed rows without padding. Only
// attention looks from row to row, and needs to know where a sentence's rows are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bough/oracle/trajectory.h"

namespace bough {

class RowLayout {
 public:
  /// Step by step, as a trajectory is packed.
  explicit RowLayout(const PackedSteps& steps);

  /// Sentence by sentence.
  explicit RowLayout(std::span<const int64_t> lengths);

  int64_t sentences() const { return static_cast<int64_t>(begin_.size()) - 1; }
  int64_t rows() const { return static_cast<int64_t>(rows_.size()); }
  int64_t longest() const { return longest_; }
  int64_t length(int64_t sentence) const {
    return begin_[static_cast<size_t>(sentence) + 1] - begin_[static_cast<size_t>(sentence)];
  }

  /// A sentence's rows, position by position.
  std::span<const int64_t> rows_of(int64_t sentence) const {
    return {rows_.data() + begin_[static_cast<size_t>(sentence)],
            static_cast<size_t>(length(sentence))};
  }

  /// [rows] the sentence of each row.
  std::vector<int64_t> sentence_of() const;

 private:
  std::vector<int64_t> begin_;  // [sentences + 1] in rows_
  std::vector<int64_t> rows_;   // [rows]
  int64_t longest_ = 0;
};

}  // namespace bough
