// chrF and chrF++ (Popović, 2015 and 2017) as sacreBLEU 2 computes them.
//
// An F score over the n-grams of characters, and for chrF++ of words too, averaged over orders. A
// row is, for each order, the n-grams of the hypothesis, of the reference, and those they share;
// of several references it is the one with the best score.
#pragma once

#include <memory>

#include "bough/base/options.h"
#include "bough/metrics/metric.h"

namespace bough {

struct ChrfOptions {
  int64_t char_order = 6;
  int64_t word_order = 0;
  int64_t beta = 2;
  bool lowercase = false;
  bool whitespace = false;
  bool eps_smoothing = false;

  void declare(OptionSet& set) {
    set.integer("chrf-char-order", char_order, {1, 16}, "chrF: the longest n-grams of characters");
    set.integer("chrf-word-order", word_order, {0, 16},
                "chrF: the longest n-grams of words; 2 is chrF++");
    set.integer("chrf-beta", beta, {1, 100}, "chrF: how many times recall counts for precision");
    set.flag("chrf-lowercase", lowercase, "chrF: ignore case");
    set.flag("chrf-whitespace", whitespace, "chrF: white space counts as a character");
    set.flag("chrf-eps-smoothing", eps_smoothing,
             "chrF: average F scores, with a tiny number for zero, as chrF++.py does");
  }
};

std::unique_ptr<Metric> make_chrf(const ChrfOptions& options);

}  // namespace bough
