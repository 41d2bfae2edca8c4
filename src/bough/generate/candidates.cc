#include "bough/generate/candidates.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace bough {

namespace {

/// Sentences are told apart by their words and texts: <unk> may stand for several.
using Sentence = std::pair<std::vector<WordId>, std::vector<std::string>>;

Sentence sentence_of(const DecodedTree& decoded) {
  std::vector<std::string> texts;
  if (!decoded.texts.empty()) {
    for (int id : decoded.tree.in_order()) texts.push_back(decoded.texts[static_cast<size_t>(id)]);
  }
  return {decoded.tree.sentence(), std::move(texts)};
}

double log_add(double a, double b) {
  double larger = std::max(a, b);
  return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

void sort_by_score(std::vector<Candidate>& candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
}

}  // namespace

double over_length(double logprob, int words, double length_power) {
  return logprob / std::pow(std::max(1.0, static_cast<double>(words)), length_power);
}

std::vector<Candidate> rank_by_probability(std::vector<Candidate> trees, double length_power) {
  struct Merged {
    Candidate best;
    std::set<std::vector<int>> shapes;  // a tree may have been drawn twice
  };
  sort_by_score(trees);
  std::map<Sentence, Merged> sentences;
  for (Candidate& tree : trees) {
    std::vector<int> shape = tree.tree.tree.positions();
    auto [entry, fresh] = sentences.try_emplace(sentence_of(tree.tree));
    Merged& merged = entry->second;
    if (!merged.shapes.insert(std::move(shape)).second) continue;
    if (fresh) {
      merged.best = std::move(tree);
    } else {
      merged.best.score = log_add(merged.best.score, tree.score);
    }
  }
  std::vector<Candidate> ranked;
  for (auto& [sentence, merged] : sentences) {
    merged.best.score =
        over_length(merged.best.score, merged.best.tree.tree.word_count(), length_power);
    ranked.push_back(std::move(merged.best));
  }
  sort_by_score(ranked);
  return ranked;
}

}  // namespace bough
