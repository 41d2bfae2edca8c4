// Useful arithmetic: the floating-point operations of the matrix products that the mathematics
// needs, forward.
#pragma once

#include "bough/model/policy.h"

namespace bough {

/// Of one sentence with so many steps (two a word and one), written from a source of so many words.
double sentence_flops(const PolicyOptions& policy, int64_t vocabulary, double steps,
                      double source_words = 0.0);

}  // namespace bough
