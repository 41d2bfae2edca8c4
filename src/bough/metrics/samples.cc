#include "bough/metrics/samples.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>

#include "bough/base/parallel.h"

namespace bough {

namespace {

size_t count_words(std::span<const WordViews> sentences) {
  size_t words = 0;
  for (const WordViews& sentence : sentences) words += sentence.size();
  return words;
}

/// A sentence as one text; words have no spaces in them.
std::string joined(const WordViews& words) {
  std::string text;
  for (std::string_view word : words) (text += word) += ' ';
  return text;
}

/// For each sample, BLEU-2…max_order; averaged. `in_set` says that the samples are the set.
std::vector<double> mean_bleu(std::span<const WordViews> samples, ReferenceSet& set,
                              size_t max_order, bool in_set, size_t threads) {
  std::vector<std::vector<uint32_t>> numbered;
  numbered.reserve(samples.size());
  for (const WordViews& sample : samples) numbered.push_back(set.number(sample));
  std::vector<std::vector<double>> scores(samples.size());
  parallel_for(samples.size(), threads, 64, [&](size_t i) {
    scores[i] = set.bleu(numbered[i], in_set ? static_cast<int64_t>(i) : NgramMaxima::kNobody);
  });
  std::vector<double> means(max_order - 1);
  for (const std::vector<double>& score : scores) {
    for (size_t n = 0; n < means.size(); ++n) means[n] += score[n + 1];
  }
  for (double& mean : means) mean /= static_cast<double>(samples.size());
  return means;
}

}  // namespace

ReferenceSet::ReferenceSet(std::span<const WordViews> sentences, size_t max_order)
    : maxima_(max_order, count_words(sentences)) {
  for (const WordViews& sentence : sentences) {
    maxima_.add(words_.add_all(sentence));
    length_of_.push_back(sentence.size());
    if (lengths_.size() <= sentence.size()) lengths_.resize(sentence.size() + 1);
    ++lengths_[sentence.size()];
  }
}

/// The nearest length, the shorter of two as near.
size_t ReferenceSet::closest_length(size_t length, std::optional<size_t> left_out) const {
  auto present = [&](size_t candidate) {
    return candidate < lengths_.size() && lengths_[candidate] > (left_out == candidate ? 1 : 0);
  };
  for (size_t distance = 0; distance <= std::max(length, lengths_.size()); ++distance) {
    if (distance <= length && present(length - distance)) return length - distance;
    if (present(length + distance)) return length + distance;
  }
  return 0;
}

std::vector<double> ReferenceSet::bleu(std::span<const uint32_t> sentence, int64_t left_out) const {
  std::vector<int64_t> covered = maxima_.matches(sentence, left_out);
  std::optional<size_t> length_left_out;
  if (left_out != NgramMaxima::kNobody) {
    length_left_out = length_of_[static_cast<size_t>(left_out)];
  }
  size_t reference_length = closest_length(sentence.size(), length_left_out);
  std::vector<double> scores;
  for (size_t order = 1; order <= maxima_.max_order(); ++order) {
    scores.push_back(smoothed_bleu(covered, order, sentence.size(), reference_length));
  }
  return scores;
}

double smoothed_bleu(std::span<const int64_t> covered, size_t order, size_t length,
                     size_t reference_length) {
  if (covered[0] == 0) return 0;
  constexpr double kInsteadOfZero = 0.1;
  double sum = 0;
  for (size_t n = 1; n <= order; ++n) {
    auto total = static_cast<double>(std::max<int64_t>(1, ngram_count(length, n)));
    double count = covered[n - 1] == 0 ? kInsteadOfZero : static_cast<double>(covered[n - 1]);
    sum += std::log(count / total);
  }
  double brevity_penalty =
      length > reference_length
          ? 1
          : std::exp(1 - static_cast<double>(reference_length) / static_cast<double>(length));
  return brevity_penalty * std::exp(sum / static_cast<double>(order));
}

SampleStatistics measure_samples(std::span<const WordViews> samples,
                                 std::span<const WordViews> training,
                                 std::span<const WordViews> references, size_t max_order,
                                 size_t threads) {
  SampleStatistics result;
  result.samples = static_cast<int64_t>(samples.size());
  if (samples.empty()) return result;
  std::unordered_set<std::string> known;
  for (const WordViews& sentence : training) known.insert(joined(sentence));
  std::unordered_set<std::string> distinct;
  int64_t novel = 0;
  for (const WordViews& sample : samples) {
    std::string text = joined(sample);
    novel += known.contains(text) ? 0 : 1;
    distinct.insert(std::move(text));
  }
  auto count = static_cast<double>(samples.size());
  result.novel_percent = 100 * static_cast<double>(novel) / count;
  result.unique_percent = 100 * static_cast<double>(distinct.size()) / count;
  result.mean_tokens = static_cast<double>(count_words(samples)) / count;
  if (!references.empty()) {
    ReferenceSet set(references, max_order);
    result.bleu = mean_bleu(samples, set, max_order, false, threads);
  }
  if (samples.size() > 1) {
    ReferenceSet set(samples, max_order);
    result.self_bleu = mean_bleu(samples, set, max_order, true, threads);
  }
  return result;
}

std::optional<double> mean_span(std::span<const Tree> trees) {
  int64_t parents = 0;
  int64_t children = 0;
  for (const Tree& tree : trees) {
    for (const Tree::Node& node : tree.nodes()) {
      int own = (node.left_child != Tree::kNone) + (node.right_child != Tree::kNone);
      parents += own > 0 ? 1 : 0;
      children += own;
    }
  }
  if (parents == 0) return std::nullopt;
  return static_cast<double>(children) / static_cast<double>(parents);
}

}  // namespace bough
