#include "bough/generate/word_costs.h"

namespace bough {

namespace {

/// Words of changed sentences that are scored together: enough to fill batches, and no more than
/// that at a time, for a sentence has many changes.
constexpr size_t kWordsTogether = 1 << 18;

/// A sentence with one place changed.
struct Variant {
  std::vector<WordId> words;
  size_t sentence = 0;
  size_t place = 0;
  std::optional<WordId> other = {};  // in its place; none: left out
};

/// Calls `take` with each of a sentence's.
template <typename Take>
void for_each_variant(const ScoredSentence& scored, size_t sentence, const Take& take) {
  std::span<const WordId> words = scored.sentence.words;
  for (size_t place = 0; place < words.size(); ++place) {
    std::vector<WordId> without(words.begin(), words.end());
    without.erase(without.begin() + static_cast<int64_t>(place));
    take({std::move(without), sentence, place});
    if (scored.likelihood.others.empty()) continue;  // none were asked for
    for (WordId other : scored.likelihood.others[place]) {
      std::vector<WordId> with(words.begin(), words.end());
      with[place] = other;
      take({std::move(with), sentence, place, other});
    }
  }
}

}  // namespace

std::vector<std::vector<WordCost>> word_costs(const LikelihoodScorer& scorer, JobRunner& runner,
                                              const WordCostRequest& request) {
  std::vector<std::vector<WordCost>> costs;
  std::vector<Variant> variants;
  auto score = [&] {
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
    auto next = variants.begin();
    scorer.score(runner, scoring, [&](Likelihood&& found) {
      const Variant& variant = *next++;
      double gain = found.logprob - request.sentences[variant.sentence].likelihood.logprob;
      WordCost& cost = costs[variant.sentence][variant.place];
      if (!variant.other) {
        cost.without = gain;
      } else if (!cost.other || gain > cost.with_other) {
        cost.other = variant.other;
        cost.with_other = gain;
      }
    });
    variants.clear();
  };
  size_t words = 0;
  for (size_t i = 0; i < request.sentences.size(); ++i) {
    costs.emplace_back(request.sentences[i].sentence.words.size());
    for_each_variant(request.sentences[i], i, [&](Variant&& variant) {
      words += variant.words.size();
      variants.push_back(std::move(variant));
      if (words < kWordsTogether) return;
      score();
      words = 0;
    });
  }
  if (!variants.empty()) score();
  return costs;
}

}  // namespace bough
