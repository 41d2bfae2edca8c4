// YiSi-0 and YiSi-1 (Lo, 2019): how much of the meaning two sentences share.
//
// Words are similar to a degree from 0 to 1: by their longest common substring (YiSi-0) or by the
// angle between their vectors (YiSi-1). A word weighs the more the fewer of the references it
// stands in. Each n-gram of the reference is compared with every n-gram of the hypothesis, word by
// word and place by place, and the most similar one counts; recall is the mean of that over the
// reference's n-grams, by weight. Precision is the same from the hypothesis's side. The score is a
// mean of both, the text's score the mean over sentences. Several references: precision and recall
// are each the best of all.
//
// Agrees with chikiulo/yisi, commit fd07bfc5, without semantic roles. Words are what stands between
// white space, in bytes, and case matters, except that a word without a vector or a weight of its
// own has that of its lower-case form (ASCII letters only). Nothing is like an empty sentence.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bough/base/options.h"
#include "bough/data/word_vectors.h"
#include "bough/metrics/metric.h"

namespace bough {

/// kLcs: 2 L / (a + b), for a longest common substring of L bytes of words of a and b bytes.
/// kVectors: 1 where the words differ only in the case of ASCII letters, else the cosine, or 0
/// where it is negative or a vector is missing. kExact: 1 for the same word, else next to nothing.
enum class YisiSimilarity { kLcs, kVectors, kExact };

enum class YisiWeights { kLearn, kUniform };

template <>
struct EnumNames<YisiSimilarity> {
  static constexpr auto kNames =
      std::to_array<EnumName<YisiSimilarity>>({{YisiSimilarity::kLcs, "lcs"},
                                               {YisiSimilarity::kVectors, "vectors"},
                                               {YisiSimilarity::kExact, "exact"}});
};

template <>
struct EnumNames<YisiWeights> {
  static constexpr auto kNames = std::to_array<EnumName<YisiWeights>>(
      {{YisiWeights::kLearn, "learn"}, {YisiWeights::kUniform, "uniform"}});
};

struct YisiOptions {
  double alpha = 0.8;
  int64_t ngram = 3;
  YisiWeights weights = YisiWeights::kLearn;

  void declare(OptionSet& set) {
    set.number("yisi-alpha", alpha, {0.0, 1.0},
               "YiSi: the share of recall in the score; the rest is precision's");
    set.integer("yisi-ngram", ngram, {1, 100}, "YiSi: how many words are compared at once");
    set.choice("yisi-weights", weights,
               "YiSi: learn: a word of few references weighs more; uniform: all weigh the same");
  }
};

/// A sentence's score and what it is made of.
struct YisiParts {
  double precision = 0.0;
  double recall = 0.0;
  double score = 0.0;
};

class Yisi : public Metric {
 public:
  /// Learns the words' weights from all references. `vectors` only for kVectors.
  Yisi(YisiSimilarity similarity, const YisiOptions& options, const References& references,
       std::shared_ptr<const WordVectors> vectors);

  YisiParts parts(const Segment& segment) const;

  std::string name() const override;
  std::vector<std::pair<std::string, std::string>> settings() const override;
  int decimals() const override { return 6; }
  size_t row_size() const override { return 2; }  // the score, one sentence
  void measure(const Segment& segment, std::span<double> row) const override;
  double score(std::span<const double> sums) const override;
  std::string details(std::span<const double>) const override { return ""; }

 private:
  struct Word;
  struct Sentence;

  void learn_weights(const References& references);
  double weight_of(std::string_view word, const std::string& lower) const;
  Sentence take_apart(std::string_view line) const;
  double similarity_of(const Word& left, const Word& right) const;

  /// Of the distinct words of two sentences.
  std::vector<std::vector<double>> similarities(const Sentence& rows,
                                                const Sentence& columns) const;

  /// The share of a sentence's n-grams, by weight, that the other sentence has; `similarity` has a
  /// row for each distinct word of the sentence and a column for each of the other. An n-gram's
  /// similarity is the mean of its words', weighted like them, so its weight times its similarity
  /// is a plain sum. Of the table by places, which may be huge, only an n-gram's rows are made at
  /// once.
  static double coverage(const std::vector<std::vector<double>>& similarity,
                         const Sentence& sentence, const Sentence& other, size_t n);

  YisiSimilarity similarity_;
  YisiOptions options_;
  std::shared_ptr<const WordVectors> vectors_;
  std::unordered_map<std::string, double, WordHash, std::equal_to<>> weights_;
  double unknown_weight_ = 1.0;
};

std::unique_ptr<Metric> make_yisi(YisiSimilarity similarity, const YisiOptions& options,
                                  const References& references,
                                  std::shared_ptr<const WordVectors> vectors);

/// Adds the words of a line whose vectors YiSi-1 may ask for.
void add_yisi_words(std::string_view line, WordSet& words);

}  // namespace bough
