// What int8 changes in what a policy says.
#pragma once

#include <span>

#include "bough/model/policy.h"
#include "bough/tree/tree.h"

namespace bough {

/// Log-probabilities in nats, of the same trees in float and in int8.
struct PrecisionLoss {
  double per_sentence = 0.0;  // mean absolute difference of a sentence's log-probability
  double per_step = 0.0;      // mean absolute difference of a step's
  double bias = 0.0;          // mean difference of a sentence's, int8 minus float
  double same_best = 0.0;     // share of steps at which both find the same action best
};

PrecisionLoss compare_precision(const Policy& policy, std::span<const Tree> trees);

}  // namespace bough
