// What the policy thinks of each action at a slot, before anything is forbidden or truncated: what
// traces report.
#pragma once

#include <span>

#include "bough/model/kernels/kernels.h"
#include "bough/text/vocabulary.h"
#include "bough/tree/trace.h"

namespace bough {

class RowDistribution {
 public:
  /// `logits` of all actions, which must outlive this; `end_logit` of the <end> head or null.
  /// Scores come with the so many likeliest actions.
  RowDistribution(std::span<const float> logits, const float* end_logit, int64_t alternatives);

  StepScore score(WordId action) const {
    return {.logprob = logprob(action), .entropy = entropy_, .alternatives = alternatives_};
  }

 private:
  double logprob(WordId action) const;
  std::vector<Alternative> best(int64_t count) const;

  Distribution words_;
  double entropy_;
  const float* end_logit_;
  std::span<const float> logits_;
  std::vector<Alternative> alternatives_;
};

}  // namespace bough
