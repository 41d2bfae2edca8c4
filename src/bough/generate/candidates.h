// Several sentences for one prompt, and which of them is the best.
#pragma once

#include <optional>
#include <vector>

#include "bough/generate/draft.h"

namespace bough {

struct Candidate {
  DecodedTree tree;
  double score = 0.0;  // the higher the better
};

/// One that is chosen, as it is handed on.
struct Written {
  Trace trace;
  double score = 0.0;  // what --nbest ranks by; of a lone sample, its log-probability if known
  std::optional<double> likelihood = {};  // of the sentence, where it was ranked by that
};

/// A log-probability over the number of words (of none: one) to a power.
double over_length(double logprob, int words, double length_power);

/// Each sentence once, the likeliest first. Scores are log-probabilities of trees; different trees
/// of a sentence make it as likely as their sum, and it keeps the likeliest of them. What it is
/// ranked by, its score from then on, is its log-probability over its number of words to
/// `length_power`.
std::vector<Candidate> rank_by_probability(std::vector<Candidate> trees, double length_power);

}  // namespace bough
