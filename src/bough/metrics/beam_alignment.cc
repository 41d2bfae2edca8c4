#include "bough/metrics/beam_alignment.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bough {

namespace {

constexpr int kBeamWidth = 25;     // columns on either side of the diagonal
constexpr int kOutside = 1 << 29;  // the cost of a cell outside the beam

}  // namespace

int BeamAlignment::CostRow::at(int column) const {
  return column >= begin && column < end ? cells[column - begin] : kOutside;
}

BeamAlignment::BeamAlignment(std::span<const uint32_t> hypothesis,
                             std::span<const uint32_t> reference)
    : words_(hypothesis.begin(), hypothesis.end()), reference_(reference) {
  lay_out_windows();
  size_t cells = windows_.back().offset + windows_.back().end - windows_.back().begin;
  costs_so_far_.resize(cells);
  costs_to_go_.resize(cells);
  for (int column = 0; column < windows_[0].end; ++column) costs_so_far_[column] = column;
  fill_costs_so_far(1);
  CostRow last = row_of(costs_to_go_, static_cast<int>(words_.size()));
  for (int column = last.begin; column < last.end; ++column) {
    last.cells[column - last.begin] = static_cast<int>(reference_.size()) - column;
  }
  first_row_to_go_ = static_cast<int>(words_.size());
}

/// The first row is whole, and the last one reaches the last column. Where the reference is far
/// longer than the hypothesis, the beam is wide enough for the windows of neighbours to overlap.
void BeamAlignment::lay_out_windows() {
  int rows = static_cast<int>(words_.size()) + 1;
  int columns = static_cast<int>(reference_.size()) + 1;
  double slope = words_.empty() ? 1.0 : static_cast<double>(columns - 1) / (rows - 1);
  int width = kBeamWidth;
  if (kBeamWidth < slope / 2) width = static_cast<int>(std::ceil(slope / 2 + kBeamWidth));
  windows_.reserve(rows);
  windows_.push_back({0, columns, 0});
  int widest = 0;
  for (int row = 1; row < rows; ++row) {
    const Window& above = windows_.back();
    int diagonal = static_cast<int>(std::floor(row * slope));
    int end = row == rows - 1 ? columns : std::min(columns, diagonal + width);
    windows_.push_back(
        {std::max(0, diagonal - width), end, above.offset + above.end - above.begin});
    widest = std::max(widest, end - windows_.back().begin);
  }
  for (auto& row : scratch_) row.resize(widest);
}

BeamAlignment::CostRow BeamAlignment::row_of(std::vector<int>& table, int row) const {
  const Window& window = windows_[row];
  return {table.data() + window.offset, window.begin, window.end};
}

int BeamAlignment::cost_so_far(int row, int column) const {
  const Window& window = windows_[row];
  bool inside = column >= window.begin && column < window.end;
  return inside ? costs_so_far_[window.offset + column - window.begin] : kOutside;
}

/// The row behind one more hypothesis word.
void BeamAlignment::fill_next_row(const CostRow& previous, uint32_t word,
                                  const CostRow& row) const {
  int left = kOutside;
  int diagonal = previous.at(row.begin - 1);
  for (int column = row.begin; column < row.end; ++column) {
    int above = previous.at(column);
    int cost = std::min(above, left) + 1;
    if (column > 0) cost = std::min(cost, diagonal + (reference_[column - 1] != word));
    row.cells[column - row.begin] = cost;
    left = cost;
    diagonal = above;
  }
}

void BeamAlignment::fill_costs_so_far(int first_row) {
  for (int row = first_row; row < static_cast<int>(windows_.size()); ++row) {
    fill_next_row(row_of(costs_so_far_, row - 1), words_[row - 1], row_of(costs_so_far_, row));
  }
}

/// Filled upwards, and only as far as something is asked.
void BeamAlignment::fill_costs_to_go(int first_row) {
  int columns = static_cast<int>(reference_.size());
  while (first_row_to_go_ > first_row) {
    CostRow below = row_of(costs_to_go_, first_row_to_go_);
    CostRow row = row_of(costs_to_go_, --first_row_to_go_);
    uint32_t word = words_[first_row_to_go_];
    int right = kOutside;
    for (int column = row.end - 1; column >= row.begin; --column) {
      int cost = std::min(below.at(column), right) + 1;
      if (column < columns) {
        cost = std::min(cost, below.at(column + 1) + (reference_[column] != word));
      }
      row.cells[column - row.begin] = cost;
      right = cost;
    }
  }
}

int BeamAlignment::distance() const {
  return cost_so_far(static_cast<int>(words_.size()), static_cast<int>(reference_.size()));
}

void BeamAlignment::swap_words(const Swap& swap) {
  std::rotate(words_.begin() + swap.first, words_.begin() + swap.middle,
              words_.begin() + swap.last);
}

int BeamAlignment::distance_after(const Swap& swap) {
  fill_costs_to_go(swap.last);
  swap_words(swap);
  CostRow previous = row_of(costs_so_far_, swap.first);
  for (int row = swap.first + 1; row <= swap.last; ++row) {
    CostRow next{scratch_[row % 2].data(), windows_[row].begin, windows_[row].end};
    fill_next_row(previous, words_[row - 1], next);
    previous = next;
  }
  swap_words({swap.first, swap.first + swap.last - swap.middle, swap.last});
  CostRow rest = row_of(costs_to_go_, swap.last);
  int distance = kOutside;
  for (int i = 0; i < rest.end - rest.begin; ++i) {
    distance = std::min(distance, previous.cells[i] + rest.cells[i]);
  }
  return distance;
}

void BeamAlignment::apply(const Swap& swap) {
  swap_words(swap);
  fill_costs_so_far(swap.first + 1);
  first_row_to_go_ = std::max(first_row_to_go_, swap.last);
}

WordAlignment BeamAlignment::align() const {
  WordAlignment alignment{.hypothesis_of = std::vector<int>(reference_.size()),
                          .hypothesis_errors = std::vector<bool>(words_.size()),
                          .reference_errors = std::vector<bool>(reference_.size())};
  int row = static_cast<int>(words_.size());
  int column = static_cast<int>(reference_.size());
  while (row > 0 || column > 0) {
    int cost = cost_so_far(row, column);
    bool differ = row > 0 && column > 0 && words_[row - 1] != reference_[column - 1];
    if (row > 0 && column > 0 && cost == cost_so_far(row - 1, column - 1) + differ) {
      --row;
      --column;
      alignment.hypothesis_of[column] = row;
      alignment.hypothesis_errors[row] = differ;
      alignment.reference_errors[column] = differ;
    } else if (row > 0 && cost == cost_so_far(row - 1, column) + 1) {
      --row;
      alignment.hypothesis_errors[row] = true;
    } else {
      --column;
      alignment.hypothesis_of[column] = row - 1;
      alignment.reference_errors[column] = true;
    }
  }
  return alignment;
}

}  // namespace bough
