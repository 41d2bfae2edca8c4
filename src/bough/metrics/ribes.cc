#include "bough/metrics/ribes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/base/utf8.h"
#include "bough/metrics/rank_correlation.h"
#include "bough/text/word_numbers.h"

namespace bough {

namespace {

/// The shortest n-gram at a hypothesis word that stands once in either sentence.
struct Context {
  int length = std::numeric_limits<int>::max();  // where there is none
  int place = -1;                                // of the word in the reference
};

/// For a word of the hypothesis, how many words up to and including it agree with those up to each
/// word of `text`. Taking the words one by one makes it a step for each.
class SharedEndings {
 public:
  explicit SharedEndings(std::span<const uint32_t> text) : text_(text), lengths_(text.size()) {}

  /// Goes on to the next word of the hypothesis.
  void advance(uint32_t word) {
    for (size_t i = text_.size(); i-- > 0;) {
      int before = i > 0 ? lengths_[i - 1] : 0;
      lengths_[i] = text_[i] == word ? before + 1 : 0;
    }
  }

  /// The longest and second longest (but for the word at `skipped`), and the place of the longest.
  struct Longest {
    int first = 0;
    int second = 0;
    int place = -1;
  };
  Longest longest(int skipped) const {
    Longest result;
    for (int i = 0; i < static_cast<int>(lengths_.size()); ++i) {
      if (i == skipped || lengths_[i] <= result.second) continue;
      result.second = lengths_[i];
      if (result.second > result.first) {
        std::swap(result.first, result.second);
        result.place = i;
      }
    }
    return result;
  }

 private:
  std::span<const uint32_t> text_;
  std::vector<int> lengths_;
};

/// The contexts that end with each word. An n-gram stands nowhere else in a sentence if it is
/// longer than all endings shared with other places.
std::vector<Context> contexts_before(std::span<const uint32_t> hypothesis,
                                     std::span<const uint32_t> reference) {
  std::vector<Context> contexts(hypothesis.size());
  SharedEndings with_itself(hypothesis);
  SharedEndings with_reference(reference);
  for (int i = 0; i < static_cast<int>(hypothesis.size()); ++i) {
    with_itself.advance(hypothesis[i]);
    with_reference.advance(hypothesis[i]);
    auto shared = with_reference.longest(-1);
    int length = 1 + std::max(shared.second, with_itself.longest(i).first);
    if (length <= shared.first) contexts[i] = {length, shared.place};
  }
  return contexts;
}

/// The contexts that begin with each word: those that end with it, read backwards.
std::vector<Context> contexts_behind(std::span<const uint32_t> hypothesis,
                                     std::span<const uint32_t> reference) {
  std::vector<uint32_t> hypothesis_backwards(hypothesis.rbegin(), hypothesis.rend());
  std::vector<uint32_t> reference_backwards(reference.rbegin(), reference.rend());
  auto contexts = contexts_before(hypothesis_backwards, reference_backwards);
  std::reverse(contexts.begin(), contexts.end());
  for (Context& context : contexts) {
    context.place = static_cast<int>(reference.size()) - 1 - context.place;
  }
  return contexts;
}

/// A row: the score, sentences.
class Ribes : public Metric {
 public:
  explicit Ribes(const RibesOptions& options) : options_(options) {}

  std::string name() const override { return "RIBES"; }

  std::vector<std::pair<std::string, std::string>> settings() const override {
    return {{"case", options_.case_sensitive ? "mixed" : "lc"},
            {"tok", "none"},
            {"corr", std::string(name_of(options_.correlation))},
            {"alpha", fmt::format("{}", options_.alpha)},
            {"beta", fmt::format("{}", options_.beta)}};
  }

  int decimals() const override { return 6; }
  size_t row_size() const override { return 2; }

  void measure(const Segment& segment, std::span<double> row) const override {
    row[0] = best_ribes_parts(segment, options_).score(options_);
    row[1] = 1.0;
  }

  double score(std::span<const double> sums) const override {
    return sums[1] > 0.0 ? sums[0] / sums[1] : 0.0;
  }

  std::string details(std::span<const double>) const override { return ""; }

 private:
  RibesOptions options_;
};

}  // namespace

std::vector<int> matched_places(std::span<const std::string_view> hypothesis,
                                std::span<const std::string_view> reference) {
  WordNumbers numbers;
  std::vector<uint32_t> hypothesis_numbers = numbers.add_all(hypothesis);
  std::vector<uint32_t> reference_numbers = numbers.add_all(reference);
  auto before = contexts_before(hypothesis_numbers, reference_numbers);
  auto behind = contexts_behind(hypothesis_numbers, reference_numbers);
  std::vector<int> places;
  for (size_t i = 0; i < before.size(); ++i) {
    const Context& nearest = before[i].length <= behind[i].length ? before[i] : behind[i];
    if (nearest.length <= static_cast<int>(hypothesis.size())) places.push_back(nearest.place);
  }
  return places;
}

double RibesParts::score(const RibesOptions& options) const {
  return correlation * std::pow(precision, options.alpha) * std::pow(brevity_penalty, options.beta);
}

RibesParts ribes_parts(std::span<const std::string_view> hypothesis,
                       std::span<const std::string_view> reference, RankCorrelation correlation) {
  if (hypothesis.empty() || reference.empty()) return {};
  auto hypothesis_words = static_cast<double>(hypothesis.size());
  auto reference_words = static_cast<double>(reference.size());
  RibesParts parts;
  parts.brevity_penalty = std::min(1.0, std::exp(1.0 - reference_words / hypothesis_words));
  std::vector<int> places = matched_places(hypothesis, reference);
  bool is_only_word = places.size() == 1 && reference.size() == 1;
  if (places.size() < 2 && !is_only_word) return parts;  // no order to speak of
  parts.precision = static_cast<double>(places.size()) / hypothesis_words;
  if (is_only_word) {
    parts.correlation = 1.0;
  } else if (correlation == RankCorrelation::kKendall) {
    parts.correlation = normalized_kendall(places);
  } else {
    parts.correlation = normalized_spearman(places);
  }
  return parts;
}

RibesParts best_ribes_parts(const Segment& segment, const RibesOptions& options) {
  auto cased = [&](std::string_view text) {
    return options.case_sensitive ? std::string(text) : lower_case(text);
  };
  std::string hypothesis_text = cased(segment.hypothesis);
  auto hypothesis = split_at_white_space(hypothesis_text);
  RibesParts best;
  for (size_t i = 0; i < segment.references.size(); ++i) {
    std::string reference_text = cased(segment.references[i]);
    auto reference = split_at_white_space(reference_text);
    RibesParts parts = ribes_parts(hypothesis, reference, options.correlation);
    if (i == 0 || parts.score(options) > best.score(options)) best = parts;
  }
  return best;
}

std::unique_ptr<Metric> make_ribes(const RibesOptions& options) {
  return std::make_unique<Ribes>(options);
}

}  // namespace bough
