#include "bough/model/kernels/byte_rows.h"

#include "bough/model/kernels/table.h"

namespace bough {

ByteScale to_bytes(std::span<const float> row, std::span<uint8_t> bytes) {
  return kernels().to_bytes(row.data(), static_cast<int64_t>(row.size()), bytes.data());
}

void from_sums(const int32_t* sums, const ByteScale& row, std::span<const float> column_scales,
               std::span<const float> column_sums, const float* start, float* y) {
  kernels().from_sums(sums, row, column_scales.data(), column_sums.data(),
                      static_cast<int64_t>(column_scales.size()), start, y);
}

}  // namespace bough
