#include "bough/metrics/chrf.h"

#include <fmt/format.h>

#include <algorithm>

#include "bough/base/utf8.h"
#include "bough/metrics/ngrams.h"
#include "bough/text/word_numbers.h"

namespace bough {

namespace {

bool is_ascii_punctuation(char letter) {
  return (letter >= '!' && letter <= '/') || (letter >= ':' && letter <= '@') ||
         (letter >= '[' && letter <= '`') || (letter >= '{' && letter <= '~');
}

/// The words between white space, with one mark set off: at the end, or else at the front. `(hi)`
/// becomes `(hi` and `)`: that is how the reference does it.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::string_view word : split_at_white_space(line)) {
    if (word.size() > 1 && is_ascii_punctuation(word.back())) {
      words.push_back(word.substr(0, word.size() - 1));
      words.push_back(word.substr(word.size() - 1));
    } else if (word.size() > 1 && is_ascii_punctuation(word.front())) {
      words.push_back(word.substr(0, 1));
      words.push_back(word.substr(1));
    } else {
      words.push_back(word);
    }
  }
  return words;
}

class Chrf : public Metric {
 public:
  explicit Chrf(const ChrfOptions& options)
      : options_(options),
        char_order_(static_cast<size_t>(options.char_order)),
        word_order_(static_cast<size_t>(options.word_order)) {}

  std::string name() const override {
    return fmt::format("chrF{}{}", options_.beta,
                       std::string(std::min<size_t>(word_order_, 2), '+'));
  }

  std::vector<std::pair<std::string, std::string>> settings() const override {
    return {{"case", options_.lowercase ? "lc" : "mixed"},
            {"eff", options_.eps_smoothing ? "no" : "yes"},
            {"nc", std::to_string(char_order_)},
            {"nw", std::to_string(word_order_)},
            {"space", options_.whitespace ? "yes" : "no"}};
  }

  int decimals() const override { return 2; }
  size_t row_size() const override { return 3 * (char_order_ + word_order_); }

  void measure(const Segment& segment, std::span<double> row) const override {
    std::string lowered = options_.lowercase ? lower_case(segment.hypothesis) : "";
    std::string_view hypothesis = options_.lowercase ? lowered : segment.hypothesis;
    std::vector<double> candidate(row.size());
    double best = -1;
    for (std::string_view reference : segment.references) {
      std::string lowered_reference = options_.lowercase ? lower_case(reference) : "";
      compare(hypothesis, options_.lowercase ? lowered_reference : reference, candidate);
      double candidate_score = score(candidate);
      if (candidate_score <= best) continue;
      best = candidate_score;
      std::copy(candidate.begin(), candidate.end(), row.begin());
    }
  }

  double score(std::span<const double> sums) const override {
    return options_.eps_smoothing ? mean_of_f_scores(sums) : f_score_of_means(sums);
  }

  std::string details(std::span<const double>) const override { return ""; }

 private:
  void compare(std::string_view hypothesis, std::string_view reference,
               std::span<double> row) const {
    count(symbols_of(hypothesis), symbols_of(reference), char_order_, row);
    if (word_order_ == 0) return;
    WordNumbers words;
    std::vector<uint32_t> reference_words = words.add_all(words_of(reference));
    count(words.add_all(words_of(hypothesis)), reference_words, word_order_,
          row.subspan(3 * char_order_));
  }

  /// The line's characters as symbols.
  std::vector<uint32_t> symbols_of(std::string_view line) const {
    std::vector<uint32_t> symbols;
    symbols.reserve(line.size());
    for (char32_t letter : code_points(line)) {
      if (options_.whitespace || !is_white_space(letter)) symbols.push_back(letter);
    }
    return symbols;
  }

  static void count(std::span<const uint32_t> hypothesis, std::span<const uint32_t> reference,
                    size_t max_order, std::span<double> row) {
    NgramMaxima maxima(max_order, reference.size());
    maxima.add(reference);
    std::vector<int64_t> shared = maxima.matches(hypothesis);
    for (size_t order = 1; order <= max_order; ++order) {
      double* triple = &row[3 * (order - 1)];
      auto in_reference = static_cast<double>(ngram_count(reference.size(), order));
      // An order that the reference has no n-grams of is not held against the hypothesis.
      triple[0] = in_reference > 0 ? static_cast<double>(ngram_count(hypothesis.size(), order)) : 0;
      triple[1] = in_reference;
      triple[2] = static_cast<double>(shared[order - 1]);
    }
  }

  double f_score(double precision, double recall) const {
    auto factor = static_cast<double>(options_.beta * options_.beta);
    return (1 + factor) * precision * recall / (factor * precision + recall);
  }

  /// Of the mean precision and the mean recall over the orders that both texts have.
  double f_score_of_means(std::span<const double> sums) const {
    double precision = 0;
    double recall = 0;
    double orders = 0;
    for (size_t i = 0; i < sums.size(); i += 3) {
      if (sums[i] == 0 || sums[i + 1] == 0) continue;
      precision += sums[i + 2] / sums[i];
      recall += sums[i + 2] / sums[i + 1];
      ++orders;
    }
    return precision + recall == 0 ? 0 : 100 * f_score(precision / orders, recall / orders);
  }

  double mean_of_f_scores(std::span<const double> sums) const {
    constexpr double kEpsilon = 1e-16;
    double sum = 0;
    for (size_t i = 0; i < sums.size(); i += 3) {
      double precision = sums[i] > 0 ? sums[i + 2] / sums[i] : kEpsilon;
      double recall = sums[i + 1] > 0 ? sums[i + 2] / sums[i + 1] : kEpsilon;
      sum += precision + recall > 0 ? f_score(precision, recall) : kEpsilon;
    }
    size_t orders = sums.size() / 3;
    return 100 * sum / static_cast<double>(orders);
  }

  ChrfOptions options_;
  size_t char_order_;
  size_t word_order_;
};

}  // namespace

std::unique_ptr<Metric> make_chrf(const ChrfOptions& options) {
  return std::make_unique<Chrf>(options);
}

}  // namespace bough
