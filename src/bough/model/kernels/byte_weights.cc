#include "bough/model/kernels/byte_weights.h"

#include <algorithm>
#include <bit>

namespace bough {

float weight_scale(std::span<const float> row, int largest) {
  constexpr float kNothing = 1e-30F;  // smaller ones are zeros: their scale would lose its bits
  float most = 0.0F;
  for (float weight : row) most = std::max(most, std::abs(weight));
  if (most < kNothing) return 1.0F;
  // To the nearest float whose last eight bits are zeros: off by 2⁻¹⁷ at most, so that the largest
  // weight still becomes `largest`.
  auto bits = std::bit_cast<uint32_t>(most / static_cast<float>(largest));
  return std::bit_cast<float>((bits + 0x80U) & ~0xFFU);
}

}  // namespace bough
