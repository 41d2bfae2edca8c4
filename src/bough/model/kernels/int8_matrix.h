// A matrix in eight bits, for products with few rows.
//
// Each column of the product has a scale for its weights (signed, symmetric), each row one for its
// activations (unsigned, with a zero point), found on the fly. Sums are exact integers, so no
// result depends on which rows are computed together.
#pragma once

#include <vector>

#include "bough/model/kernels/aligned.h"
#include "bough/model/kernels/byte_kernel.h"
#include "bough/model/kernels/packed_matrix.h"

namespace bough {

class Int8Matrix : public RowProduct {
 public:
  /// Quantises `matrix` [columns, depth].
  Int8Matrix(const float* matrix, int64_t columns, int64_t depth,
             const ByteKernel& kernel = byte_kernel());

  void multiply(const float* x, int64_t rows, const float* bias, float* y) const override;
  void add_product(const float* x, int64_t rows, float* y) const override;

 private:
  /// y = x · wᵀ, plus `bias` or, where that is null, what y holds.
  void run(const float* x, int64_t rows, const float* bias, float* y) const;

  int64_t panels() const { return (columns_ + kBytePanel - 1) / kBytePanel; }
  int64_t panel_bytes() const { return padded_depth_ * kBytePanel; }

  const ByteKernel& kernel_;
  int64_t columns_;
  int64_t depth_;
  int64_t padded_depth_;        // to whole groups, with zeros
  std::vector<float> scales_;   // by column
  std::vector<float> sums_;     // of a column's quantised weights
  AlignedVector<int8_t> data_;  // panel after panel; the last one is padded with zeros
};

}  // namespace bough
