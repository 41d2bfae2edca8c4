// What samples of a language model are like: the paper's Table 1 and its appendix table.
//
// Novel is what isn't among the training sentences, unique is the share of distinct samples. BLEU-n
// is each sample's, against all sentences of a reference set at once, averaged; self-BLEU-n is each
// sample's against all the others, so that a model which repeats itself scores high. Both are
// smoothed by NLTK's method 1. Asking every sample against every reference would be quadratic; the
// n-gram counts of the set are merged once (NgramMaxima), and the values are the same.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bough/metrics/metric.h"
#include "bough/metrics/ngrams.h"

namespace bough {

/// A set of sentences, as numbered words, that others are compared with.
class ReferenceSet {
 public:
  /// Room for sentences of `expected_words` in all is made at once.
  explicit ReferenceSet(size_t max_order, size_t expected_words = 0)
      : maxima_(max_order, expected_words) {}

  void add(std::span<const uint32_t> sentence);

  /// BLEU-1…max_order of a sentence, from 0 to 1. `left_out` names a sentence of the set that
  /// doesn't count.
  std::vector<double> bleu(std::span<const uint32_t> sentence,
                           int64_t left_out = NgramMaxima::kNobody) const;

 private:
  size_t closest_length(size_t length, std::optional<size_t> left_out) const;

  NgramMaxima maxima_;
  std::vector<size_t> length_of_;
  std::vector<int64_t> lengths_;  // how many sentences have each length
};

/// BLEU-n from the covered and all n-grams of each order, smoothed by NLTK's method 1: a count of
/// zero is one of 0.1 instead. Zero where not a single word is covered.
double smoothed_bleu(std::span<const int64_t> covered, size_t order, size_t length,
                     size_t reference_length);

using SplitSentences = std::vector<std::vector<std::string>>;

/// What is known of samples, each by itself: the means over all of them are their statistics.
struct SampleRows {
  bool has_novelty = false;  // the training sentences were known
  size_t bleu_orders = 0;    // from BLEU-2 on
  size_t self_bleu_orders = 0;
  /// Of each sample: whether it is novel (if that is known), whether it is the first of its like,
  /// its words, its BLEUs.
  Rows rows{0, 0};

  size_t row_size() const { return (has_novelty ? 1 : 0) + 2 + bleu_orders + self_bleu_orders; }
};

/// `training` and `references` may be empty: nothing is known then, and BLEU is left out. All
/// samples are needed to tell of a part of them.
SampleRows measure_each_sample(const SplitSentences& samples, const SplitSentences& training,
                               const SplitSentences& references, size_t max_order, size_t threads,
                               const Shard& shard = {});

struct SampleStatistics {
  int64_t samples = 0;
  std::optional<double> novel_percent;  // nothing where the training sentences are not known
  double unique_percent = 0;
  double mean_tokens = 0;
  std::vector<double> bleu;       // BLEU-2, BLEU-3, …, from 0 to 1
  std::vector<double> self_bleu;  // empty where there are fewer than two samples
};

SampleStatistics statistics_of(const SampleRows& samples);

/// Both in one.
SampleStatistics measure_samples(const SplitSentences& samples, const SplitSentences& training,
                                 const SplitSentences& references, size_t max_order,
                                 size_t threads);

}  // namespace bough
