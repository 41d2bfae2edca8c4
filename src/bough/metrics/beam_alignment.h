// How a hypothesis and a reference line up, near the diagonal: the edit distance inside TER.
//
// The usual table of edit distances has a row for every number of hypothesis words and a column
// for every number of reference words. Here a row has only the columns within a beam around the
// diagonal (tercom's limit, which scores depend on); the cells outside can't be reached.
//
// TER asks again and again what the distance would be if some words stood elsewhere. Moving a block
// changes the hypothesis in one range only, so there are two tables: `costs_so_far` from the start
// and `costs_to_go` to the end. Rows before the range are taken from the first, those behind it
// from the second, and only the rows of the range itself are worked out anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bough {

/// The words [first, middle) and [middle, last) change places.
struct Swap {
  int first;
  int middle;
  int last;
};

/// Which words are matched, and where the others belong.
struct WordAlignment {
  /// For each reference word, the hypothesis word that it is matched with; for one without, the
  /// last hypothesis word before it (-1: none).
  std::vector<int> hypothesis_of;
  /// Whether a word is not matched with an equal one.
  std::vector<bool> hypothesis_errors;
  std::vector<bool> reference_errors;
};

class BeamAlignment {
 public:
  /// `reference` must outlive it.
  BeamAlignment(std::span<const uint32_t> hypothesis, std::span<const uint32_t> reference);

  /// The hypothesis with all swaps so far.
  std::span<const uint32_t> words() const { return words_; }

  /// Insertions, deletions and substitutions.
  int distance() const;

  /// The distance that a swap would lead to.
  int distance_after(const Swap& swap);

  void apply(const Swap& swap);

  /// Of several cheapest ways: from the end backwards, a match or substitution rather than a
  /// hypothesis word too many rather than a reference word too many.
  WordAlignment align() const;

 private:
  /// The columns of a row that are inside the beam, and where they lie in a table.
  struct Window {
    int begin;
    int end;
    size_t offset;
  };

  struct CostRow {
    int* cells;
    int begin;
    int end;

    int at(int column) const;
  };

  void lay_out_windows();
  CostRow row_of(std::vector<int>& table, int row) const;
  int cost_so_far(int row, int column) const;
  void fill_next_row(const CostRow& previous, uint32_t word, const CostRow& row) const;
  void fill_costs_so_far(int first_row);
  void fill_costs_to_go(int first_row);
  void swap_words(const Swap& swap);

  std::vector<uint32_t> words_;
  std::span<const uint32_t> reference_;
  std::vector<Window> windows_;  // one for each row
  std::vector<int> costs_so_far_;
  std::vector<int> costs_to_go_;
  int first_row_to_go_;  // the rows of costs_to_go_ from here on are filled
  std::vector<int> scratch_[2];
};

}  // namespace bough
