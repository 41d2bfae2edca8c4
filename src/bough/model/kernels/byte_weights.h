// Weights as signed bytes: weight ≈ scale · byte, with a scale for each row of a matrix.
//
// A scale has 16 significant bits, so that a byte times it is a float without rounding. Bytes that
// become floats and are quantised again are therefore the same bytes with the same scale: a model
// that was kept in bytes (tensor_file.h) is computed with in these very bytes.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

namespace bough {

/// The largest byte that models are kept in. A kernel may take only smaller ones (byte_kernel.h).
constexpr int kLargestKeptByte = 127;

/// The scale by which the row's largest weight becomes ±`largest`; 1 for a row of zeros.
float weight_scale(std::span<const float> row, int largest);

inline int8_t weight_to_byte(float weight, float scale) {
  return static_cast<int8_t>(std::lround(weight / scale));
}

}  // namespace bough
