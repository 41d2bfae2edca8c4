// BLEU (Papineni et al., 2002) as sacreBLEU 2 computes it.
//
// The geometric mean of the shares of a text's n-grams that its references cover, times a penalty
// for a text shorter than them. A row is: words, words of the closest reference, covered n-grams of
// each order, n-grams of each order.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bough/base/options.h"
#include "bough/metrics/bleu_words.h"
#include "bough/metrics/metric.h"

namespace bough {

/// What stands in for a share of zero, which would make the score zero.
enum class BleuSmoothing { kExp, kFloor, kAddK, kNone };

template <>
struct EnumNames<BleuSmoothing> {
  static constexpr auto kNames =
      std::to_array<EnumName<BleuSmoothing>>({{BleuSmoothing::kExp, "exp"},
                                              {BleuSmoothing::kFloor, "floor"},
                                              {BleuSmoothing::kAddK, "add-k"},
                                              {BleuSmoothing::kNone, "none"}});
};

struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::k13a;
  bool lowercase = false;
  BleuSmoothing smoothing = BleuSmoothing::kExp;
  double smooth_value = -1;  // negative: the method's own, 0.1 for floor and 1 for add-k
  bool effective_order = false;
  int64_t max_order = 4;

  void declare(OptionSet& set) {
    set.choice("tokenize", tokenizer, "BLEU: how lines become words");
    set.flag("lowercase", lowercase, "BLEU, F1, EM and edit: ignore case");
    set.choice("smooth-method", smoothing, "BLEU: what stands in for an n-gram share of zero");
    set.number("smooth-value", smooth_value, {-1, 1000},
               "BLEU: the number of floor and add-k; -1: 0.1 and 1");
    set.flag("effective-order", effective_order,
             "BLEU: leave out orders the text is too short for (always so for single sentences)");
    set.integer("max-ngram-order", max_order, {1, 16}, "BLEU: the longest n-grams");
  }
};

/// What BLEU counts in a text.
struct BleuCounts {
  double words = 0;
  double reference_words = 0;
  std::vector<double> covered;  // by order, from 1
  std::vector<double> total;
};

/// The counts of one sentence.
BleuCounts count_bleu(std::span<const std::string_view> hypothesis,
                      std::span<const std::vector<std::string_view>> references, size_t max_order);

struct BleuScore {
  double score = 0;                // in percent
  std::vector<double> precisions;  // in percent
  double brevity_penalty = 0;
};

BleuScore score_bleu(BleuCounts counts, BleuSmoothing smoothing, double smooth_value,
                     bool effective_order);

std::unique_ptr<Metric> make_bleu(const BleuOptions& options);

}  // namespace bough
