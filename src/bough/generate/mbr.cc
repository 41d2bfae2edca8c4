#include "bough/generate/mbr.h"

#include <algorithm>
#include <map>

#include "bough/metrics/bleu.h"
#include "bough/metrics/chrf.h"

namespace bough {

std::vector<Vote> rank_by_agreement(std::span<const std::string> candidates, MbrMetric kind) {
  std::unique_ptr<Metric> metric =
      kind == MbrMetric::kBleu ? make_bleu({.tokenizer = BleuTokenizer::kNone}) : make_chrf({});
  // Equal candidates are compared once, and count as often as they are there.
  std::map<std::string_view, double> counts;
  for (const std::string& candidate : candidates) ++counts[candidate];
  std::map<std::string_view, double> totals;
  std::vector<double> row(metric->row_size());
  for (const auto& [hypothesis, own_count] : counts) {
    for (const auto& [reference, count] : counts) {
      std::fill(row.begin(), row.end(), 0.0);
      metric->measure({hypothesis, {&reference, 1}}, row);
      // A candidate isn't compared with itself, but with others of the same text.
      double others = hypothesis == reference ? count - 1.0 : count;
      totals[hypothesis] += others * metric->sentence_score(row);
    }
  }
  double others = std::max(1.0, static_cast<double>(candidates.size()) - 1.0);
  std::vector<Vote> votes;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (counts.erase(candidates[i]) > 0) votes.push_back({i, totals[candidates[i]] / others});
  }
  std::stable_sort(votes.begin(), votes.end(),
                   [](const Vote& a, const Vote& b) { return a.score > b.score; });
  return votes;
}

}  // namespace bough
