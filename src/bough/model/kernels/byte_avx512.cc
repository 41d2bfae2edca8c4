#include <immintrin.h>

#include "bough/model/kernels/byte_table.h"

namespace bough {

namespace {

typedef int32_t Sums __attribute__((vector_size(64), aligned(4), may_alias));
using Bytes = __m512i;
constexpr int kSums = 16;
constexpr int kRowsAtOnce = 12;
constexpr int kMostParts = 2;

Bytes load_bytes(const int8_t* from) {
  return _mm512_loadu_si512(from);
}
Bytes splat_group(const uint8_t* from) {
  int32_t group;
  __builtin_memcpy(&group, from, sizeof group);
  return _mm512_set1_epi32(group);
}
Sums add_products(Sums sums, Bytes x, Bytes weights) {
#ifdef __AVX512VNNI__
  return reinterpret_cast<Sums>(_mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sums), x, weights));
#else
  __m512i pairs = _mm512_maddubs_epi16(x, weights);
  return sums + reinterpret_cast<Sums>(_mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
#endif
}

#include "bough/model/kernels/byte_implementation.h"

}  // namespace

#ifdef __AVX512VNNI__
const ByteKernel kAvx512VnniBytes = {.name = "avx512_vnni",
                                     .rows_at_once = kRowsAtOnce,
                                     .largest_weight = 127,
                                     .multiply_panel = multiply_panel};
#else
const ByteKernel kAvx512Bytes = {.name = "avx512",
                                 .rows_at_once = kRowsAtOnce,
                                 .largest_weight = 63,
                                 .multiply_panel = multiply_panel};
#endif

}  // namespace bough
