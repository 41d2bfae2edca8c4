#include "bough/generate/word_costs.h"

namespace bough {

namespace {

/// A sentence with one place changed.
struct Variant {
  std::vector<WordId> words;
  size_t sentence = 0;
  size_t place = 0;
  std::optional<WordId> other = {};  // in its place; none: left out
};

std::vector<Variant> variants_of(const ScoredSentence& scored, size_t sentence) {
  std::vector<Variant> variants;
  std::span<const WordId> words = scored.sentence.words;
  for (size_t place = 0; place < words.size(); ++place) {
    std::vector<WordId> without(words.begin(), words.end());
    without.erase(without.begin() + static_cast<int64_t>(place));
    variants.push_back({std::move(without), sentence, place});
    if (scored.likelihood.others.empty()) continue;  // none were asked for
    for (WordId other : scored.likelihood.others[place]) {
      std::vector<WordId> with(words.begin(), words.end());
      with[place] = other;
      variants.push_back({std::move(with), sentence, place, other});
    }
  }
  return variants;
}

}  // namespace

std::vector<std::vector<WordCost>> word_costs(const LikelihoodScorer& scorer, JobRunner& runner,
                                              const WordCostRequest& request) {
  std::vector<std::vector<WordCost>> costs;
  std::vector<Variant> variants;
  for (size_t i = 0; i < request.sentences.size(); ++i) {
    costs.emplace_back(request.sentences[i].sentence.words.size());
    std::vector<Variant> own = variants_of(request.sentences[i], i);
    std::ranges::move(own, std::back_inserter(variants));
  }
  std::vector<SentenceToScore> sentences;
  for (const Variant& variant : variants) {
    SentenceToScore changed = request.sentences[variant.sentence].sentence;
    changed.words = variant.words;
    if (request.from_own_words) changed.source = variant.words;
    sentences.push_back(changed);
  }
  ScoreRequest scoring = request.scoring;
  scoring.sentences = sentences;
  scoring.others = 0;
  size_t scored = 0;
  scorer.score(runner, scoring, [&](Likelihood&& found) {
    const Variant& variant = variants[scored++];
    double gain = found.logprob - request.sentences[variant.sentence].likelihood.logprob;
    WordCost& cost = costs[variant.sentence][variant.place];
    if (!variant.other) {
      cost.without = gain;
    } else if (!cost.other || gain > cost.with_other) {
      cost.other = variant.other;
      cost.with_other = gain;
    }
  });
  return costs;
}

}  // namespace bough
