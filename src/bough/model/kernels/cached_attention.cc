#include "bough/model/kernels/cached_attention.h"

// Compiled for each of these, and chosen when the program is loaded.
#define BOUGH_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))

namespace bough {

namespace {

/// One number of each key of a block; as many registers as it takes.
using Lanes = float __attribute__((vector_size(kKeyBlock * sizeof(float)), aligned(4), may_alias));

}  // namespace

BOUGH_CLONES void score_block(const float* query, const float* keys, int64_t columns,
                              float* scores) {
  const auto* numbers = reinterpret_cast<const Lanes*>(keys);
  Lanes even{};  // two sums that don't wait for each other
  Lanes odd{};
  for (int64_t c = 0; c + 1 < columns; c += 2) {
    even += query[c] * numbers[c];
    odd += query[c + 1] * numbers[c + 1];
  }
  if (columns % 2 == 1) even += query[columns - 1] * numbers[columns - 1];
  *reinterpret_cast<Lanes*>(scores) = even + odd;
}

BOUGH_CLONES void mix_values(const float* weights, int64_t count, const float* values,
                             int64_t stride, int64_t columns, float* context) {
  int64_t first = 0;
  for (; first + kKeyBlock <= columns; first += kKeyBlock) {
    Lanes sum{};
    for (int64_t i = 0; i < count; ++i) {
      sum += weights[i] * *reinterpret_cast<const Lanes*>(values + i * stride + first);
    }
    *reinterpret_cast<Lanes*>(context + first) = sum;
  }
  for (; first < columns; ++first) {
    float sum = 0.0F;
    for (int64_t i = 0; i < count; ++i) sum += weights[i] * values[i * stride + first];
    context[first] = sum;
  }
}

}  // namespace bough
