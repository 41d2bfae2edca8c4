#include "bough/metrics/ter.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bough/base/utf8.h"
#include "bough/metrics/ter_shifts.h"
#include "bough/text/word_numbers.h"

namespace bough {

namespace {

/// A row: edits, words of the reference.
class Ter : public Metric {
 public:
  explicit Ter(const TerOptions& options) : options_(options) {}

  std::string name() const override { return "TER"; }

  std::vector<std::pair<std::string, std::string>> settings() const override {
    auto yes_or_no = [](bool value) { return value ? "yes" : "no"; };
    return {{"case", options_.case_sensitive ? "mixed" : "lc"},
            {"tok", "tercom"},
            {"norm", yes_or_no(options_.normalized)},
            {"punct", yes_or_no(!options_.no_punct)},
            {"asian", yes_or_no(options_.asian_support)}};
  }

  int decimals() const override { return 2; }
  size_t row_size() const override { return 2; }

  void measure(const Segment& segment, std::span<double> row) const override {
    std::string hypothesis_text = ter_text(segment.hypothesis, options_);
    auto hypothesis = split_at_white_space(hypothesis_text);
    int64_t fewest = std::numeric_limits<int64_t>::max();
    size_t words = 0;
    for (std::string_view line : segment.references) {
      std::string reference_text = ter_text(line, options_);
      auto reference = split_at_white_space(reference_text);
      WordNumbers numbers;
      fewest = std::min(fewest,
                        edits_with_shifts(numbers.add_all(hypothesis), numbers.add_all(reference)));
      words += reference.size();
    }
    row[0] = static_cast<double>(fewest);
    row[1] = static_cast<double>(words) / static_cast<double>(segment.references.size());
  }

  /// Without any reference words, a single edit is as bad as it gets.
  double score(std::span<const double> sums) const override {
    if (sums[1] > 0.0) return 100.0 * (sums[0] / sums[1]);
    return sums[0] > 0.0 ? 100.0 : 0.0;
  }

  std::string details(std::span<const double> sums) const override {
    return fmt::format("(edits = {} ref_len = {})", sums[0], sums[1]);
  }

 private:
  TerOptions options_;
};

}  // namespace

std::unique_ptr<Metric> make_ter(const TerOptions& options) {
  return std::make_unique<Ter>(options);
}

}  // namespace bough
