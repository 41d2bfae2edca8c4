// Learning a tagger: an averaged perceptron (Collins, 2002) that decides word by word.
//
// Sentences are tagged with the weights so far. Where a tag is wrong, the weights of the word's
// features rise by one for the right tag and fall by one for the wrong one. The tagger's weights
// are the averages over all steps, which forgets the to and fro of single ones. Each time some
// features are left out by chance, so that a word is known by more than one of them. All of it is
// whole numbers, so a seed gives the same tagger everywhere.
//
// Averages are then made small: the features that decide least are dropped, learning starts again
// with the rest, so that they make up for those, and the result is rounded to eight bits.
#pragma once

#include <functional>

#include "bough/analysis/tagged_sentence.h"
#include "bough/analysis/tagger.h"
#include "bough/base/options.h"

namespace bough {

struct TaggerLearnOptions {
  int64_t iterations = 5;
  int64_t seed = 1;
  int64_t max_features = 120'000;
  int64_t min_count = 3;

  void declare(OptionSet& set) {
    set.integer("iterations", iterations, {1, 1000}, "passes over the sentences");
    set.integer("seed", seed, {0, 1'000'000'000'000},
                "of the order of sentences and of the features left out");
    set.integer("max-features", max_features, {1, 100'000'000},
                "keep this many features; fewer make a smaller file");
    set.integer("min-count", min_count, {1, 1'000'000},
                "leave out features that are rarer, counting all spellings of the sentences");
  }
};

/// How far learning is.
struct TaggerProgress {
  int64_t iteration = 0;  // done, of both rounds together
  int64_t iterations = 0;
  double accuracy = 0.0;  // while learning, of this iteration
};

/// Learns from the spellings of `sentences`, all of whose words have tags.
Tagger learn_tagger(const std::vector<ConlluSentence>& sentences, const TaggerLearnOptions& options,
                    const std::function<void(const TaggerProgress&)>& report = {});

}  // namespace bough
