// How fast this machine reads memory, now: what bounds the decoding of one sentence, which reads
// all weights for every step.
#pragma once

namespace bough {

/// GB/s of all threads together, over much more memory than caches hold.
double read_rate();

}  // namespace bough
