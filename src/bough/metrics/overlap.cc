#include "bough/metrics/overlap.h"

#include <fmt/format.h>

#include <algorithm>

#include "bough/base/utf8.h"

namespace bough {

namespace {

/// A metric that is the mean of what a sentence scores against its best reference.
class MeanOfWords : public Metric {
 public:
  explicit MeanOfWords(bool lowercase) : lowercase_(lowercase) {}

  std::vector<std::pair<std::string, std::string>> settings() const override {
    return {{"case", lowercase_ ? "lc" : "mixed"}, {"tok", "none"}};
  }
  int decimals() const override { return 6; }

 protected:
  /// Calls use(hypothesis words, reference words) for each reference.
  template <typename Use>
  void for_each_reference(const Segment& segment, Use use) const {
    std::string hypothesis = cased(segment.hypothesis);
    for (std::string_view line : segment.references) {
      std::string reference = cased(line);
      use(split_at_white_space(hypothesis), split_at_white_space(reference));
    }
  }

  static double mean(double sum, double count) { return count > 0 ? sum / count : 0; }

 private:
  std::string cased(std::string_view line) const {
    return lowercase_ ? lower_case(line) : std::string(line);
  }

  bool lowercase_;
};

/// A row is F1, precision, recall, and one for the sentence.
class F1 : public MeanOfWords {
 public:
  using MeanOfWords::MeanOfWords;

  std::string name() const override { return "F1"; }
  size_t row_size() const override { return 4; }
  void measure(const Segment& segment, std::span<double> row) const override {
    Overlap best{.precision = 0, .recall = 0, .f1 = -1};
    for_each_reference(segment, [&](const auto& hypothesis, const auto& reference) {
      Overlap overlap = word_overlap(hypothesis, reference);
      if (overlap.f1 > best.f1) best = overlap;
    });
    row[0] = best.f1;
    row[1] = best.precision;
    row[2] = best.recall;
    row[3] = 1;
  }
  double score(std::span<const double> sums) const override { return mean(sums[0], sums[3]); }
  std::string details(std::span<const double> sums) const override {
    return fmt::format("(precision = {:.6f} recall = {:.6f})", mean(sums[1], sums[3]),
                       mean(sums[2], sums[3]));
  }
};

/// A row is whether the sentence is right, and one for the sentence.
class ExactMatch : public MeanOfWords {
 public:
  using MeanOfWords::MeanOfWords;

  std::string name() const override { return "EM"; }
  size_t row_size() const override { return 2; }
  void measure(const Segment& segment, std::span<double> row) const override {
    for_each_reference(segment, [&](const auto& hypothesis, const auto& reference) {
      if (hypothesis == reference) row[0] = 1;
    });
    row[1] = 1;
  }
  double score(std::span<const double> sums) const override { return mean(sums[0], sums[1]); }
  std::string details(std::span<const double> sums) const override {
    return fmt::format("({:.0f} of {:.0f})", sums[0], sums[1]);
  }
};

}  // namespace

Overlap word_overlap(std::span<const std::string_view> hypothesis,
                     std::span<const std::string_view> reference) {
  if (hypothesis.empty() && reference.empty()) return {.precision = 1, .recall = 1, .f1 = 1};
  std::vector<std::string_view> ours(hypothesis.begin(), hypothesis.end());
  std::vector<std::string_view> theirs(reference.begin(), reference.end());
  std::sort(ours.begin(), ours.end());
  std::sort(theirs.begin(), theirs.end());
  std::vector<std::string_view> common;
  std::set_intersection(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                        std::back_inserter(common));
  if (common.empty()) return {};
  auto shared = static_cast<double>(common.size());
  Overlap overlap{.precision = shared / static_cast<double>(ours.size()),
                  .recall = shared / static_cast<double>(theirs.size())};
  overlap.f1 = 2 * overlap.precision * overlap.recall / (overlap.precision + overlap.recall);
  return overlap;
}

std::unique_ptr<Metric> make_f1(bool lowercase) {
  return std::make_unique<F1>(lowercase);
}

std::unique_ptr<Metric> make_exact_match(bool lowercase) {
  return std::make_unique<ExactMatch>(lowercase);
}

}  // namespace bough
