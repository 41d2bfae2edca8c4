// The random numbers of NumPy's default generator, draw for draw.
//
// sacreBLEU draws its resamples with numpy.random.default_rng(seed); with the same draws, intervals
// and p-values are the same to the last digit. The generator is PCG64 (O'Neill, 2014; XSL RR
// 128/64), started by NumPy's SeedSequence; integers below a bound are Lemire's (2019).
#pragma once

#include <cstdint>

namespace bough {

class NumpyRandom {
 public:
  explicit NumpyRandom(uint64_t seed);

  /// One of `choice(bound, …)` or `integers(bound, …)`; 0 < bound < 2³².
  uint32_t below(uint32_t bound);

  /// One of `integers(2, dtype=bool, …)`. Bits are taken from words of 32; don't mix with `below`.
  bool coin();

 private:
  uint64_t next_64();
  uint32_t next_32();

  __extension__ using Wide = unsigned __int128;
  Wide state_ = 0;
  Wide increment_ = 0;
  uint32_t upper_half_ = 0;  // of the last 64 bits, if not used yet
  bool has_upper_half_ = false;
  uint32_t coins_ = 0;
  int coins_left_ = 0;
};

}  // namespace bough
