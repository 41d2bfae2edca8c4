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

/// Writes BLEU-2…max_order against `references` into each row, from `column` on; the first row is
/// that of sample `first`.
void measure_bleu(const Numbered& samples, const Numbered& references, size_t max_order,
                  size_t threads, size_t first, size_t column, Rows& rows) {
  ReferenceSet set(max_order, count_words(references));
  for (const auto& reference : references) set.add(reference);
  bool against_others = &samples == &references;
  parallel_for(rows.lines(), threads, 64, [&](size_t line) {
    size_t sample = first + line;
    std::vector<double> scores = set.bleu(
        samples[sample], against_others ? static_cast<int64_t>(sample) : NgramMaxima::kNobody);
    std::copy(scores.begin() + 1, scores.end(),
              rows.of(line).begin() + static_cast<int64_t>(column));
  });
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

SampleRows measure_each_sample(const SplitSentences& samples, const SplitSentences& training,
                               const SplitSentences& references, size_t max_order, size_t threads,
                               const Shard& shard) {
  SampleRows result{.has_novelty = !training.empty(),
                    .bleu_orders = references.empty() ? 0 : max_order - 1,
                    .self_bleu_orders = samples.size() > 1 ? max_order - 1 : 0};
  auto total = static_cast<int64_t>(samples.size());
  auto first = static_cast<size_t>(shard.begin(total));
  Rows& rows = result.rows;
  rows = Rows(static_cast<size_t>(shard.end(total)) - first, result.row_size());
  WordNumbers words;
  Numbered ours = number_words(samples, words);
  Numbered known = number_words(training, words);
  std::sort(known.begin(), known.end());
  std::set<std::span<const uint32_t>, decltype([](const auto& a, const auto& b) {
             return std::ranges::lexicographical_compare(a, b);
           })>
      seen;
  for (size_t i = 0; i < first + rows.lines(); ++i) {
    bool is_first = seen.insert(ours[i]).second;
    if (i < first) continue;
    auto row = rows.of(i - first).begin();
    if (result.has_novelty) *row++ = std::ranges::binary_search(known, ours[i]) ? 0.0 : 1.0;
    *row++ = is_first ? 1.0 : 0.0;
    *row = static_cast<double>(ours[i].size());
  }
  size_t column = result.row_size() - result.bleu_orders - result.self_bleu_orders;
  if (result.bleu_orders > 0) {
    measure_bleu(ours, number_words(references, words), max_order, threads, first, column, rows);
  }
  if (result.self_bleu_orders > 0) {
    measure_bleu(ours, ours, max_order, threads, first, column + result.bleu_orders, rows);
  }
  return result;
}

SampleStatistics statistics_of(const SampleRows& samples) {
  SampleStatistics result;
  result.samples = static_cast<int64_t>(samples.rows.lines());
  if (result.samples == 0) return result;
  std::vector<double> means = samples.rows.sum();
  for (double& mean : means) mean /= static_cast<double>(result.samples);
  auto next = means.begin();
  if (samples.has_novelty) result.novel_percent = 100 * *next++;
  result.unique_percent = 100 * *next++;
  result.mean_tokens = *next++;
  auto behind_bleu = next + static_cast<int64_t>(samples.bleu_orders);
  result.bleu.assign(next, behind_bleu);
  result.self_bleu.assign(behind_bleu, means.end());
  return result;
}

SampleStatistics measure_samples(const SplitSentences& samples, const SplitSentences& training,
                                 const SplitSentences& references, size_t max_order,
                                 size_t threads) {
  return statistics_of(measure_each_sample(samples, training, references, max_order, threads));
}

}  // namespace bough
