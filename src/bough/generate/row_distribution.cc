#include "bough/generate/row_distribution.h"

#include <cmath>

namespace bough {

RowDistribution::RowDistribution(std::span<const float> logits, const float* end_logit)
    : words_(distribution_of(logits)),
      entropy_(words_.entropy),
      end_logit_(end_logit),
      logits_(logits) {
  if (end_logit_ == nullptr) return;
  // First "stop or not", then the word: entropies of both choices add up.
  double stop = 1.0 / (1.0 + std::exp(-static_cast<double>(*end_logit_)));
  double coin =
      stop <= 0.0 || stop >= 1.0 ? 0.0 : -stop * std::log(stop) - (1.0 - stop) * std::log1p(-stop);
  entropy_ = coin + (1.0 - stop) * entropy_;
}

StepScore RowDistribution::score(WordId action) const {
  double own = static_cast<double>(logits_[static_cast<size_t>(action)]) - words_.log_sum;
  if (end_logit_ != nullptr) {
    double logit = *end_logit_;
    double log_stop = -std::log1p(std::exp(-logit));
    double log_go_on = -std::log1p(std::exp(logit));
    own = action == kEnd ? log_stop : log_go_on + own;
  }
  return {.logprob = own, .entropy = entropy_};
}

}  // namespace bough
