// Products of a few rows with a weight matrix that is laid out for them.
#pragma once

#include <cstdint>

#include "bough/model/kernels/aligned.h"

namespace bough {

/// A weight matrix w [columns, depth] kept for products with few rows, in whatever form.
class RowProduct {
 public:
  virtual ~RowProduct() = default;

  /// y[r, n] = bias[n] + Σ_k x[r, k] · w[n, k] for `rows` rows.
  virtual void multiply(const float* x, int64_t rows, const float* bias, float* y) const = 0;

  /// y[r, n] += Σ_k x[r, k] · w[n, k] for `rows` rows.
  virtual void add_product(const float* x, int64_t rows, float* y) const = 0;
};

/// A matrix [columns, depth] laid out for fast products with few rows: in panels of 32 columns,
/// each of them depth × 32 numbers, the last one padded with zeros.
class PackedMatrix : public RowProduct {
 public:
  static constexpr int64_t kPanel = 32;

  PackedMatrix() = default;
  PackedMatrix(int64_t columns, int64_t depth);

  /// Copies `matrix` [columns, depth].
  void fill(const float* matrix);

  /// Copies `matrix` [depth, columns].
  void fill_transposed(const float* matrix);

  void multiply(const float* x, int64_t rows, const float* bias, float* y) const override;
  void add_product(const float* x, int64_t rows, float* y) const override;

  int64_t columns() const { return columns_; }
  int64_t depth() const { return depth_; }

 private:
  /// Adds the product to what `begin(first column, count)` put into y.
  template <typename Begin>
  void multiply_from(const float* x, int64_t rows, float* y, Begin begin) const;

  int64_t panels() const { return (columns_ + kPanel - 1) / kPanel; }

  int64_t columns_ = 0;
  int64_t depth_ = 0;
  AlignedVector<float> data_;
};

}  // namespace bough
