#include "bough/metrics/edit_distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bough/base/utf8.h"
#include "bough/text/word_numbers.h"

namespace bough {

namespace {

using Words = std::span<const std::string_view>;

/// Takes away what both begin and end with; that doesn't change the distance.
void strip_common_ends(Words& a, Words& b) {
  auto [a_rest, b_rest] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  a = {a_rest, a.end()};
  b = {b_rest, b.end()};
  size_t same = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin();
  a = a.first(a.size() - same);
  b = b.first(b.size() - same);
}

/// 64 rows of a column of the table of distances, as Myers (1999) and Hyyrö (2003) keep them: cells
/// that are neighbours differ by at most one, so the steps from cell to cell say all. A block holds
/// the steps down its column as bits; moving one column on, it is told the step to the right above
/// it and tells the one at its bottom.
struct Block {
  uint64_t plus =
      ~uint64_t{0};    // the rows whose cell is one more than the cell above: at first all
  uint64_t minus = 0;  // the rows whose cell is one less

  /// `equal` has the rows whose word is that of the new column. Gives the step to the right in the
  /// row `bottom`.
  int advance(uint64_t equal, int step_above, uint64_t bottom) {
    uint64_t above_plus = step_above > 0 ? 1 : 0;
    uint64_t above_minus = step_above < 0 ? 1 : 0;
    uint64_t equal_or_minus = equal | minus;
    equal |= above_minus;
    // Rows whose cell costs no more than its diagonal neighbour. An equal word is a reason, and it
    // holds for the rows below as long as they are in `plus`: the sum's carry runs through those.
    uint64_t free = (((equal & plus) + plus) ^ plus) | equal;
    uint64_t right_plus = minus | ~(free | plus);
    uint64_t right_minus = plus & free;
    int step = (right_plus & bottom) != 0 ? 1 : (right_minus & bottom) != 0 ? -1 : 0;
    right_plus = right_plus << 1 | above_plus;  // now by the row below
    right_minus = right_minus << 1 | above_minus;
    plus = right_minus | ~(equal_or_minus | right_plus);
    minus = right_plus & equal_or_minus;
    return step;
  }
};

/// Bits say in which rows each word stands: `blocks` numbers for a word.
std::vector<uint64_t> rows_of_words(std::span<const uint32_t> words, size_t distinct,
                                    size_t blocks) {
  std::vector<uint64_t> rows(distinct * blocks);
  for (size_t i = 0; i < words.size(); ++i) {
    rows[words[i] * blocks + i / 64] |= uint64_t{1} << (i % 64);
  }
  return rows;
}

/// A row of numbers: edits, words of the reference, sentences.
class EditDistance : public Metric {
 public:
  explicit EditDistance(const EditOptions& options) : options_(options) {}

  std::string name() const override { return "Edit"; }

  std::vector<std::pair<std::string, std::string>> settings() const override {
    return {{"case", options_.lowercase ? "lc" : "mixed"}, {"tok", "none"}};
  }

  int decimals() const override { return 6; }
  size_t row_size() const override { return 3; }

  void measure(const Segment& segment, std::span<double> row) const override {
    std::string hypothesis_text = cased(segment.hypothesis);
    auto hypothesis = split_at_white_space(hypothesis_text);
    std::pair<int64_t, int64_t> best;  // edits, and the reference's words below zero
    for (size_t i = 0; i < segment.references.size(); ++i) {
      std::string reference_text = cased(segment.references[i]);
      auto reference = split_at_white_space(reference_text);
      std::pair candidate(edit_distance(hypothesis, reference),
                          -static_cast<int64_t>(reference.size()));
      best = i == 0 ? candidate : std::min(best, candidate);
    }
    row[0] = static_cast<double>(best.first);
    row[1] = static_cast<double>(-best.second);
    row[2] = 1.0;
  }

  double score(std::span<const double> sums) const override {
    return sums[2] > 0.0 ? sums[0] / sums[2] : 0.0;
  }

  /// The word error rate in percent; without any reference words, an edit is as bad as it gets.
  std::string details(std::span<const double> sums) const override {
    double rate = sums[1] > 0.0 ? 100.0 * sums[0] / sums[1] : sums[0] > 0.0 ? 100.0 : 0.0;
    return fmt::format("(WER = {:.2f} edits = {} ref_len = {})", rate, sums[0], sums[1]);
  }

 private:
  std::string cased(std::string_view text) const {
    return options_.lowercase ? lower_case(text) : std::string(text);
  }

  EditOptions options_;
};

}  // namespace

int64_t edit_distance(Words a, Words b) {
  strip_common_ends(a, b);
  if (a.empty() || b.empty()) return static_cast<int64_t>(std::max(a.size(), b.size()));
  WordNumbers numbers;
  std::vector<uint32_t> rows = numbers.add_all(a);
  std::vector<uint32_t> columns = numbers.add_all(b);
  std::vector<Block> blocks((rows.size() + 63) / 64);
  std::vector<uint64_t> places = rows_of_words(rows, numbers.size(), blocks.size());
  uint64_t block_bottom = uint64_t{1} << 63;
  uint64_t table_bottom = uint64_t{1} << ((rows.size() - 1) % 64);
  auto distance = static_cast<int64_t>(rows.size());
  for (uint32_t word : columns) {
    const uint64_t* equal = places.data() + word * blocks.size();
    int step = 1;  // the first row of the table counts the columns
    for (size_t i = 0; i + 1 < blocks.size(); ++i) {
      step = blocks[i].advance(equal[i], step, block_bottom);
    }
    distance += blocks.back().advance(equal[blocks.size() - 1], step, table_bottom);
  }
  return distance;
}

std::unique_ptr<Metric> make_edit_distance(const EditOptions& options) {
  return std::make_unique<EditDistance>(options);
}

}  // namespace bough
