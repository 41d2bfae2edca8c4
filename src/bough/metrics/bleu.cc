#include "bough/metrics/bleu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bough/base/utf8.h"
#include "bough/metrics/ngrams.h"
#include "bough/text/word_numbers.h"

namespace bough {

namespace {

/// The length nearest to the hypothesis's; the shorter of two as near.
size_t closest_length(size_t length, std::span<const std::vector<std::string_view>> references) {
  auto distance = [&](size_t other) { return other > length ? other - length : length - other; };
  size_t best = references.front().size();
  for (const auto& reference : references) {
    size_t other = reference.size();
    if (std::pair(distance(other), other) < std::pair(distance(best), best)) best = other;
  }
  return best;
}

double default_smooth_value(BleuSmoothing smoothing) {
  return smoothing == BleuSmoothing::kFloor ? 0.1 : 1.0;
}

class Bleu : public Metric {
 public:
  explicit Bleu(const BleuOptions& options)
      : options_(options), max_order_(static_cast<size_t>(options.max_order)) {
    if (options_.smooth_value < 0) options_.smooth_value = default_smooth_value(options.smoothing);
  }

  std::string name() const override { return "BLEU"; }

  std::vector<std::pair<std::string, std::string>> settings() const override {
    std::string smooth(name_of(options_.smoothing));
    bool valued =
        options_.smoothing == BleuSmoothing::kFloor || options_.smoothing == BleuSmoothing::kAddK;
    if (valued) smooth += fmt::format("[{:.2f}]", options_.smooth_value);
    std::vector<std::pair<std::string, std::string>> settings = {
        {"case", options_.lowercase ? "lc" : "mixed"},
        {"eff", options_.effective_order ? "yes" : "no"},
        {"tok", std::string(name_of(options_.tokenizer))},
        {"smooth", smooth}};
    if (max_order_ != 4) settings.emplace_back("order", std::to_string(max_order_));
    return settings;
  }

  int decimals() const override { return 2; }
  size_t row_size() const override { return 2 + 2 * max_order_; }

  void measure(const Segment& segment, std::span<double> row) const override {
    std::vector<std::string> lines;  // the words below point into them
    lines.reserve(1 + segment.references.size());
    auto words_of = [&](std::string_view line) {
      lines.push_back(options_.lowercase ? separate_words(lower_case(line), options_.tokenizer)
                                         : separate_words(line, options_.tokenizer));
      return split_at_white_space(lines.back());
    };
    std::vector<std::vector<std::string_view>> references;
    for (std::string_view line : segment.references) references.push_back(words_of(line));
    BleuCounts counts = count_bleu(words_of(segment.hypothesis), references, max_order_);
    row[0] = counts.words;
    row[1] = counts.reference_words;
    std::copy(counts.covered.begin(), counts.covered.end(), row.begin() + 2);
    std::copy(counts.total.begin(), counts.total.end(),
              row.begin() + 2 + static_cast<int64_t>(max_order_));
  }

  double score(std::span<const double> sums) const override {
    return score_of(sums, options_.effective_order).score;
  }

  double sentence_score(std::span<const double> row) const override {
    return score_of(row, true).score;
  }

  std::string details(std::span<const double> sums) const override {
    BleuScore score = score_of(sums, options_.effective_order);
    return fmt::format("{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {:.0f} ref_len = {:.0f})",
                       fmt::join(score.precisions, "/"), score.brevity_penalty,
                       sums[1] > 0 ? sums[0] / sums[1] : 0.0, sums[0], sums[1]);
  }

 private:
  BleuScore score_of(std::span<const double> sums, bool effective_order) const {
    auto covered = sums.begin() + 2;
    auto total = covered + static_cast<int64_t>(max_order_);
    BleuCounts counts{.words = sums[0],
                      .reference_words = sums[1],
                      .covered = {covered, total},
                      .total = {total, sums.end()}};
    return score_bleu(std::move(counts), options_.smoothing, options_.smooth_value,
                      effective_order);
  }

  BleuOptions options_;
  size_t max_order_;
};

}  // namespace

BleuCounts count_bleu(std::span<const std::string_view> hypothesis,
                      std::span<const std::vector<std::string_view>> references, size_t max_order) {
  size_t reference_words = 0;
  for (const auto& reference : references) reference_words += reference.size();
  WordNumbers words;
  NgramMaxima maxima(max_order, reference_words);
  for (const auto& reference : references) maxima.add(words.add_all(reference));
  std::vector<int64_t> covered = maxima.matches(words.add_all(hypothesis));

  BleuCounts counts;
  counts.words = static_cast<double>(hypothesis.size());
  counts.reference_words = static_cast<double>(closest_length(hypothesis.size(), references));
  counts.covered.assign(covered.begin(), covered.end());
  for (size_t order = 1; order <= max_order; ++order) {
    counts.total.push_back(static_cast<double>(ngram_count(hypothesis.size(), order)));
  }
  return counts;
}

BleuScore score_bleu(BleuCounts counts, BleuSmoothing smoothing, double smooth_value,
                     bool effective_order) {
  size_t max_order = counts.total.size();
  BleuScore result;
  result.precisions.resize(max_order);
  if (counts.words >= counts.reference_words) {
    result.brevity_penalty = 1;
  } else if (counts.words > 0) {
    result.brevity_penalty = std::exp(1 - counts.reference_words / counts.words);
  }
  if (std::all_of(counts.covered.begin(), counts.covered.end(), [](double n) { return n == 0; })) {
    return result;
  }

  double halvings = 1;
  size_t orders = max_order;
  for (size_t n = 0; n < max_order; ++n) {
    if (smoothing == BleuSmoothing::kAddK && n > 0) {
      counts.covered[n] += smooth_value;
      counts.total[n] += smooth_value;
    }
    if (counts.total[n] == 0) break;
    if (effective_order) orders = n + 1;
    double covered = counts.covered[n];
    if (covered == 0 && smoothing == BleuSmoothing::kExp) covered = 1 / (halvings *= 2);
    if (covered == 0 && smoothing == BleuSmoothing::kFloor) covered = smooth_value;
    result.precisions[n] = 100 * covered / counts.total[n];
  }
  double sum = 0;
  for (size_t n = 0; n < orders; ++n) {
    if (result.precisions[n] == 0) return result;
    sum += std::log(result.precisions[n]);
  }
  result.score = result.brevity_penalty * std::exp(sum / static_cast<double>(orders));
  return result;
}

std::unique_ptr<Metric> make_bleu(const BleuOptions& options) {
  return std::make_unique<Bleu>(options);
}

}  // namespace bough
