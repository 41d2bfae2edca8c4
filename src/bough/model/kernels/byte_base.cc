#include "bough/model/kernels/byte_table.h"

namespace bough {

namespace {

void multiply_panel(const uint8_t* x, int64_t rows, int64_t depth, const int8_t* panel,
                    int32_t* sums) {
  for (int64_t r = 0; r < rows; ++r) {
    int32_t total[kBytePanel] = {};
    for (int64_t k = 0; k < depth; k += kByteGroup) {
      const uint8_t* values = x + r * depth + k;
      const int8_t* weights = panel + k * kBytePanel;
      for (int64_t n = 0; n < kBytePanel; ++n) {
        for (int64_t i = 0; i < kByteGroup; ++i) {
          total[n] += values[i] * weights[n * kByteGroup + i];
        }
      }
    }
    __builtin_memcpy(sums + r * kBytePanel, total, sizeof total);
  }
}

}  // namespace

const ByteKernel kBaseBytes = {
    .name = "base", .rows_at_once = 1, .largest_weight = 127, .multiply_panel = multiply_panel};

}  // namespace bough
