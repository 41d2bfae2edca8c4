#include <immintrin.h>

#include "bough/model/kernels/byte_table.h"

namespace bough {

namespace {

typedef int32_t Sums __attribute__((vector_size(32), aligned(4), may_alias));
using Bytes = __m256i;
constexpr int kSums = 8;
constexpr int kRowsAtOnce = 4;
constexpr int kMostParts = 4;

Bytes load_bytes(const int8_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
Bytes splat_group(const uint8_t* from) {
  int32_t group;
  __builtin_memcpy(&group, from, sizeof group);
  return _mm256_set1_epi32(group);
}
Sums add_products(Sums sums, Bytes x, Bytes weights) {
  __m256i pairs = _mm256_maddubs_epi16(x, weights);
  return sums + reinterpret_cast<Sums>(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

#include "bough/model/kernels/byte_implementation.h"

}  // namespace

const ByteKernel kAvx2Bytes = {.name = "avx2",
                               .rows_at_once = kRowsAtOnce,
                               .largest_weight = 63,
                               .multiply_panel = multiply_panel};

}  // namespace bough
