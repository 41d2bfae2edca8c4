// What each word of a sentence costs: how much likelier the sentence is without it, and with the
// best other word in its place.
//
// Both are differences of log-likelihoods (likelihood.h). A sentence of N words and n others for
// each are N · (1 + n) sentences more to score: the others are the few that the policy itself would
// have put there, in the trees that were drawn. All are scored by the same draws as the sentence,
// side by side.
#pragma once

#include <optional>

#include "bough/generate/likelihood.h"

namespace bough {

struct WordCost {
  double without = 0.0;              // log p(sentence without the word) − log p(sentence)
  std::optional<WordId> other = {};  // the best other word there, where there is one
  double with_other = 0.0;           // log p(sentence with that) − log p(sentence)
};

/// A sentence with its likelihood, for which others were asked for (ScoreRequest::others).
struct ScoredSentence {
  SentenceToScore sentence;
  Likelihood likelihood;
};

struct WordCostRequest {
  std::span<const ScoredSentence> sentences;
  bool from_own_words = false;  // what a sentence is written from is its own words
  /// As it was for the sentences, which are given above.
  ScoreRequest scoring;
};

/// By sentence and place.
std::vector<std::vector<WordCost>> word_costs(const LikelihoodScorer& scorer, JobRunner& runner,
                                              const WordCostRequest& request);

}  // namespace bough
