// Useful arithmetic: the floating-point operations of the matrix products that the mathematics
// needs, forward; and the weights they read.
#pragma once

#include "bough/model/policy.h"

namespace bough {

/// Of one sentence with so many steps (two a word and one), written from a source of so many words.
double sentence_flops(const PolicyOptions& policy, int64_t vocabulary, double steps,
                      double source_words = 0.0);

/// Weights that each step of decoding reads, however many rows it has.
double step_weights(const PolicyOptions& policy, int64_t vocabulary);

}  // namespace bough
