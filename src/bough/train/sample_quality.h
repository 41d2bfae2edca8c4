// How good a model's sentences are while it learns: BLEU-4 of samples against the validation
// sentences (are they like real text?) and against each other (does the model repeat itself?).
#pragma once

#include "bough/data/dataset.h"
#include "bough/metrics/samples.h"
#include "bough/model/policy.h"

namespace bough {

struct SampleQuality {
  double bleu = 0.0;  // from 0 to 1
  double self_bleu = 0.0;
};

class SampleJudge {
 public:
  explicit SampleJudge(const Dataset& real);

  /// Draws `count` sentences, at least two.
  SampleQuality judge(const Policy& policy, int64_t count, uint64_t seed) const;

 private:
  ReferenceSet real_;
};

}  // namespace bough
