#include "bough/generate/mbr.h"

#include <map>

#include "bough/metrics/bleu.h"
#include "bough/metrics/chrf.h"

namespace bough {

size_t most_like_the_others(std::span<const std::string> candidates, MbrMetric kind) {
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
  size_t best = 0;
  for (size_t i = 1; i < candidates.size(); ++i) {
    if (totals[candidates[i]] > totals[candidates[best]]) best = i;
  }
  return best;
}

}  // namespace bough
