#include "bough/metrics/samples.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "bough/base/parallel.h"
#include "bough/text/word_numbers.h"

namespace bough {

namespace {

using Numbered = std::vector<std::vector<uint32_t>>;

Numbered number_words(const SplitSentences& sentences, WordNumbers& words) {
  Numbered result;
  result.reserve(sentences.size());
  for (const auto& sentence : sentences) {
    std::vector<uint32_t>& numbers = result.emplace_back();
    for (const std::string& word : sentence) numbers.push_back(words.add(word));
  }
  return result;
}

size_t count_words(const Numbered& sentences) {
  size_t words = 0;
  for (const auto& sentence : sentences) words += sentence.size();
  return words;
}

/// For each sample, BLEU-2…max_order against `set`; averaged.
std::vector<double> mean_bleu(const Numbered& samples, const Numbered& references, size_t max_order,
                              size_t threads) {
  ReferenceSet set(max_order, count_words(references));
  for (const auto& reference : references) set.add(reference);
  bool against_others = &samples == &references;
  std::vector<std::vector<double>> scores(samples.size());
  parallel_for(samples.size(), threads, 64, [&](size_t i) {
    scores[i] =
        set.bleu(samples[i], against_others ? static_cast<int64_t>(i) : NgramMaxima::kNobody);
  });
  std::vector<double> means(max_order - 1);
  for (const std::vector<double>& score : scores) {
    for (size_t n = 0; n < means.size(); ++n) means[n] += score[n + 1];
  }
  for (double& mean : means) mean /= static_cast<double>(samples.size());
  return means;
}

}  // namespace

void ReferenceSet::add(std::span<const uint32_t> sentence) {
  maxima_.add(sentence);
  length_of_.push_back(sentence.size());
  if (lengths_.size() <= sentence.size()) lengths_.resize(sentence.size() + 1);
  ++lengths_[sentence.size()];
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

SampleStatistics measure_samples(const SplitSentences& samples, const SplitSentences& training,
                                 const SplitSentences& references, size_t max_order,
                                 size_t threads) {
  SampleStatistics result;
  result.samples = static_cast<int64_t>(samples.size());
  if (samples.empty()) return result;
  WordNumbers words;
  Numbered ours = number_words(samples, words);
  std::set<std::vector<uint32_t>> distinct(ours.begin(), ours.end());
  auto count = static_cast<double>(samples.size());
  if (!training.empty()) {
    Numbered known = number_words(training, words);
    std::sort(known.begin(), known.end());
    auto novel = std::ranges::count_if(
        ours, [&](const auto& one) { return !std::ranges::binary_search(known, one); });
    result.novel_percent = 100 * static_cast<double>(novel) / count;
  }
  result.unique_percent = 100 * static_cast<double>(distinct.size()) / count;
  result.mean_tokens = static_cast<double>(count_words(ours)) / count;
  if (!references.empty()) {
    result.bleu = mean_bleu(ours, number_words(references, words), max_order, threads);
  }
  if (samples.size() > 1) result.self_bleu = mean_bleu(ours, ours, max_order, threads);
  return result;
}

}  // namespace bough
