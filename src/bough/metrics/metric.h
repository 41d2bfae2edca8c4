// What a metric is.
//
// A metric measures every sentence by itself, as a row of numbers, and scores a text by the sum of
// its rows. The rest follows from that: a sentence's own score (a sum of one row), confidence
// intervals and tests (sums of rows drawn again, see significance.h), threads (rows are
// independent).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bough/base/shard.h"

namespace bough {

/// A sentence of a system beside its references, of which there is at least one. Well-formed UTF-8.
struct Segment {
  std::string_view hypothesis;
  std::span<const std::string_view> references;
};

/// The references of a text: line by line, and within a line one after the other.
class References {
 public:
  /// `files[r][line]`; at least one, all of the same length.
  explicit References(std::vector<std::vector<std::string>> files);

  size_t lines() const { return files_.front().size(); }
  size_t per_line() const { return files_.size(); }
  std::span<const std::string_view> of(size_t line) const {
    return {views_.data() + line * per_line(), per_line()};
  }

 private:
  std::vector<std::vector<std::string>> files_;
  std::vector<std::string_view> views_;
};

class Metric {
 public:
  virtual ~Metric() = default;

  /// As papers write it: `BLEU`, `chrF2++`.
  virtual std::string name() const = 0;

  /// What the score depends on, as keys and values of the signature: `tok`, `13a`.
  virtual std::vector<std::pair<std::string, std::string>> settings() const = 0;

  /// Decimals that the reference implementation prints.
  virtual int decimals() const = 0;

  /// How many numbers a sentence's row has.
  virtual size_t row_size() const = 0;

  /// Fills a sentence's row (zeros at first). Called from several threads at once.
  virtual void measure(const Segment& segment, std::span<double> row) const = 0;

  /// The score of the sum of rows.
  virtual double score(std::span<const double> sums) const = 0;

  /// The score of a single sentence.
  virtual double sentence_score(std::span<const double> row) const { return score(row); }

  /// The numbers behind the score, for people; may be empty.
  virtual std::string details(std::span<const double> sums) const = 0;
};

/// The rows of a text, one after the other.
class Rows {
 public:
  Rows(size_t lines, size_t size) : size_(size), numbers_(lines * size) {}

  size_t lines() const { return size_ == 0 ? 0 : numbers_.size() / size_; }
  size_t size() const { return size_; }
  std::span<double> of(size_t line) { return {numbers_.data() + line * size_, size_}; }
  std::span<const double> of(size_t line) const { return {numbers_.data() + line * size_, size_}; }
  std::vector<double> sum() const;
  bool operator==(const Rows&) const = default;

 private:
  size_t size_;
  std::vector<double> numbers_;
};

/// Measures every line of the part; as many hypotheses as lines of references.
Rows measure_text(const Metric& metric, std::span<const std::string> hypotheses,
                  const References& references, size_t threads, const Shard& shard = {});

}  // namespace bough
