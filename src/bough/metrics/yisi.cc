#include "bough/metrics/yisi.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "bough/base/error.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

using Matrix = std::vector<std::vector<double>>;  // rows of numbers

/// What two different words have in common where only the same word counts.
constexpr double kDifferentWords = 0.00001;

std::string ascii_lower(std::string_view word) {
  std::string lower(word);
  for (char& byte : lower) {
    if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte - 'A' + 'a');
  }
  return lower;
}

/// The longest run of equal bytes, where `left` is laid beside the beginning of `right`.
size_t longest_run(std::string_view left, std::string_view right) {
  size_t longest = 0;
  size_t run = 0;
  for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    run = left[i] == right[i] ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

/// In bytes. Lays the words beside each other in every way; an overlap that is no longer than what
/// was found already is left out.
size_t longest_common_substring(std::string_view left, std::string_view right) {
  size_t longest = 0;
  for (size_t shift = 0; shift + longest < left.size(); ++shift) {
    longest = std::max(longest, longest_run(left.substr(shift), right));
  }
  for (size_t shift = 1; shift + longest < right.size(); ++shift) {
    longest = std::max(longest, longest_run(left, right.substr(shift)));
  }
  return longest;
}

Matrix make_matrix(size_t rows, size_t columns) {
  return Matrix(rows, std::vector<double>(columns));
}

Matrix transpose(const Matrix& matrix) {
  Matrix other = make_matrix(matrix.front().size(), matrix.size());
  for (size_t r = 0; r < matrix.size(); ++r) {
    for (size_t c = 0; c < other.size(); ++c) other[c][r] = matrix[r][c];
  }
  return other;
}

double mean_of(const YisiParts& parts, double alpha) {
  double product = parts.precision * parts.recall;
  if (product == 0.0) return 0.0;
  return product / (alpha * parts.precision + (1.0 - alpha) * parts.recall);
}

/// A value of the signature can't have its separators in it.
std::string without_separators(std::string text) {
  std::replace(text.begin(), text.end(), ':', '_');
  std::replace(text.begin(), text.end(), '|', '_');
  return text;
}

}  // namespace

/// A word of a sentence, looked up once.
struct Yisi::Word {
  std::string_view text;
  std::string lower;
  std::optional<size_t> vector;
};

struct Yisi::Sentence {
  std::vector<Word> distinct;
  std::vector<size_t> places;   // which of them stands at each place
  std::vector<double> weights;  // of the word at each place

  size_t size() const { return places.size(); }
};

Yisi::Yisi(YisiSimilarity similarity, const YisiOptions& options, const References& references,
           std::shared_ptr<const WordVectors> vectors)
    : similarity_(similarity), options_(options), vectors_(std::move(vectors)) {
  if (similarity_ == YisiSimilarity::kVectors && vectors_ == nullptr) {
    throw UsageError("YiSi-1 needs word vectors");
  }
  if (options_.weights == YisiWeights::kLearn) learn_weights(references);
}

void Yisi::learn_weights(const References& references) {
  std::unordered_map<std::string, int64_t, WordHash, std::equal_to<>> counts;
  for (size_t line = 0; line < references.lines(); ++line) {
    for (std::string_view reference : references.of(line)) {
      auto words = split_at_white_space(reference);
      std::sort(words.begin(), words.end());
      words.erase(std::unique(words.begin(), words.end()), words.end());
      for (std::string_view word : words) {
        auto found = counts.find(word);
        if (found == counts.end()) found = counts.emplace(word, 0).first;
        ++found->second;
      }
    }
  }
  auto sentences = static_cast<double>(references.lines() * references.per_line());
  auto weight = [&](int64_t count) {
    return std::log2(1.0 + (sentences + 1.0) / (static_cast<double>(count) + 1.0));
  };
  for (const auto& [word, count] : counts) weights_.emplace(word, weight(count));
  unknown_weight_ = weight(0);
}

double Yisi::weight_of(std::string_view word, const std::string& lower) const {
  auto found = weights_.find(word);
  if (found == weights_.end()) found = weights_.find(lower);
  return found == weights_.end() ? unknown_weight_ : found->second;
}

Yisi::Sentence Yisi::take_apart(std::string_view line) const {
  Sentence sentence;
  std::vector<double> distinct_weights;
  std::unordered_map<std::string_view, size_t> numbers;
  for (std::string_view text : split_at_white_space(line)) {
    auto [entry, is_new] = numbers.try_emplace(text, sentence.distinct.size());
    if (is_new) {
      Word word{text, ascii_lower(text), std::nullopt};
      if (similarity_ == YisiSimilarity::kVectors) {
        word.vector = vectors_->find(text);
        if (!word.vector) word.vector = vectors_->find(word.lower);
      }
      distinct_weights.push_back(weight_of(text, word.lower));
      sentence.distinct.push_back(std::move(word));
    }
    sentence.places.push_back(entry->second);
    sentence.weights.push_back(distinct_weights[entry->second]);
  }
  return sentence;
}

double Yisi::similarity_of(const Word& left, const Word& right) const {
  switch (similarity_) {
    case YisiSimilarity::kLcs: {
      auto common = static_cast<double>(longest_common_substring(left.text, right.text));
      return 2.0 * common / static_cast<double>(left.text.size() + right.text.size());
    }
    case YisiSimilarity::kVectors:
      if (left.lower == right.lower) return 1.0;
      if (!left.vector || !right.vector) return 0.0;
      return std::max(0.0, vectors_->cosine(*left.vector, *right.vector));
    case YisiSimilarity::kExact:
      break;
  }
  return left.text == right.text ? 1.0 : kDifferentWords;
}

std::vector<std::vector<double>> Yisi::similarities(const Sentence& rows,
                                                    const Sentence& columns) const {
  Matrix of_words = make_matrix(rows.distinct.size(), columns.distinct.size());
  for (size_t r = 0; r < rows.distinct.size(); ++r) {
    for (size_t c = 0; c < columns.distinct.size(); ++c) {
      of_words[r][c] = similarity_of(rows.distinct[r], columns.distinct[c]);
    }
  }
  return of_words;
}

double Yisi::coverage(const Matrix& similarity, const Sentence& sentence, const Sentence& other,
                      size_t n) {
  Matrix rows = make_matrix(n, other.size());  // that of a place p is rows[p % n]
  auto fill_row = [&](size_t place) {
    const auto& from = similarity[sentence.places[place]];
    for (size_t i = 0; i < other.size(); ++i) rows[place % n][i] = from[other.places[i]];
  };
  for (size_t place = 0; place + 1 < n; ++place) fill_row(place);
  std::vector<double> sums(other.size() - n + 1);  // for each n-gram of the other sentence
  double covered = 0.0;
  double total = 0.0;
  for (size_t begin = 0; begin + n <= sentence.size(); ++begin) {
    fill_row(begin + n - 1);
    std::fill(sums.begin(), sums.end(), 0.0);
    double weight = 0.0;
    for (size_t k = 0; k < n; ++k) {
      const double* row = rows[(begin + k) % n].data() + k;
      double word_weight = sentence.weights[begin + k];
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += word_weight * row[i];
      weight += word_weight;
    }
    covered += *std::max_element(sums.begin(), sums.end());
    total += weight;
  }
  return covered / total;
}

YisiParts Yisi::parts(const Segment& segment) const {
  YisiParts best;
  Sentence hypothesis = take_apart(segment.hypothesis);
  for (std::string_view line : segment.references) {
    Sentence reference = take_apart(line);
    size_t shorter = std::min(hypothesis.size(), reference.size());
    if (shorter == 0) continue;
    size_t n = std::min(static_cast<size_t>(options_.ngram), shorter);
    Matrix matrix = similarities(reference, hypothesis);
    best.recall = std::max(best.recall, coverage(matrix, reference, hypothesis, n));
    best.precision =
        std::max(best.precision, coverage(transpose(matrix), hypothesis, reference, n));
  }
  best.score = mean_of(best, options_.alpha);
  return best;
}

std::string Yisi::name() const {
  switch (similarity_) {
    case YisiSimilarity::kLcs:
      return "YiSi-0";
    case YisiSimilarity::kVectors:
      return "YiSi-1";
    case YisiSimilarity::kExact:
      break;
  }
  return "YiSi";
}

std::vector<std::pair<std::string, std::string>> Yisi::settings() const {
  std::vector<std::pair<std::string, std::string>> settings;
  settings.emplace_back("sim", name_of(similarity_));
  if (similarity_ == YisiSimilarity::kVectors) {
    settings.emplace_back("vectors", without_separators(fmt::format("{}-{}d", vectors_->file_name(),
                                                                    vectors_->dimension())));
  }
  settings.emplace_back("weights", name_of(options_.weights));
  settings.emplace_back("n", fmt::format("{}", options_.ngram));
  settings.emplace_back("alpha", fmt::format("{}", options_.alpha));
  return settings;
}

void Yisi::measure(const Segment& segment, std::span<double> row) const {
  row[0] = parts(segment).score;
  row[1] = 1.0;
}

double Yisi::score(std::span<const double> sums) const {
  return sums[1] == 0.0 ? 0.0 : sums[0] / sums[1];
}

std::unique_ptr<Metric> make_yisi(YisiSimilarity similarity, const YisiOptions& options,
                                  const References& references,
                                  std::shared_ptr<const WordVectors> vectors) {
  return std::make_unique<Yisi>(similarity, options, references, std::move(vectors));
}

void add_yisi_words(std::string_view line, WordSet& words) {
  for (std::string_view word : split_at_white_space(line)) {
    words.emplace(word);
    words.insert(ascii_lower(word));
  }
}

}  // namespace bough
