// Rows of numbers as bytes, for products in eight bits (int8_matrix.h).
#pragma once

#include <cstdint>
#include <span>

namespace bough {

/// How a row became bytes: x ≈ scale · (byte − zero).
struct ByteScale {
  float scale = 1.0F;
  float zero = 0.0F;
};
ByteScale to_bytes(std::span<const float> row, std::span<uint8_t> bytes);

/// y[n] = start[n] + (what the integer sums of a row of bytes times columns of signed bytes stand
/// for): `column_scales` are the columns', `column_sums` the sums of their bytes.
void from_sums(const int32_t* sums, const ByteScale& row, std::span<const float> column_scales,
               std::span<const float> column_sums, const float* start, float* y);

}  // namespace bough
