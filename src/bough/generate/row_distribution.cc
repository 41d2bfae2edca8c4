#include "bough/generate/row_distribution.h"

#include <algorithm>
#include <cmath>

#include "bough/generate/top_k.h"

namespace bough {

RowDistribution::RowDistribution(std::span<const float> logits, const float* end_logit,
                                 int64_t alternatives)
    : words_(distribution_of(logits)),
      entropy_(words_.entropy),
      end_logit_(end_logit),
      logits_(logits) {
  if (end_logit_ != nullptr) {
    // First "stop or not", then the word: entropies of both choices add up.
    double stop = 1.0 / (1.0 + std::exp(-static_cast<double>(*end_logit_)));
    bool sure = stop <= 0.0 || stop >= 1.0;
    double coin = sure ? 0.0 : -stop * std::log(stop) - (1.0 - stop) * std::log1p(-stop);
    entropy_ = coin + (1.0 - stop) * entropy_;
  }
  alternatives_ = best(alternatives);
}

double RowDistribution::logprob(WordId action) const {
  double own = static_cast<double>(logits_[static_cast<size_t>(action)]) - words_.log_sum;
  if (end_logit_ == nullptr) return own;
  double logit = *end_logit_;
  return action == kEnd ? -std::log1p(std::exp(-logit)) : own - std::log1p(std::exp(logit));
}

std::vector<Alternative> RowDistribution::best(int64_t count) const {
  std::vector<Alternative> best;
  if (count <= 0) return best;
  auto size = static_cast<int64_t>(logits_.size());
  // With a head <end> may be likely whatever its own logit is.
  for (int64_t action : largest_k(logits_, std::min(count + 1, size))) {
    auto word = static_cast<WordId>(action);
    if (word != kEnd || end_logit_ == nullptr) best.push_back({word, logprob(word)});
  }
  if (end_logit_ != nullptr) best.push_back({kEnd, logprob(kEnd)});
  std::ranges::stable_sort(best, std::greater{}, &Alternative::logprob);
  best.resize(std::min(best.size(), static_cast<size_t>(count)));
  return best;
}

}  // namespace bough
