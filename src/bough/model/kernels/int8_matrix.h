// A matrix in eight bits, for products with few rows, by oneDNN.
//
// Each column of the product has a scale for its weights (signed, symmetric), each row one for its
// activations (unsigned, with a zero point), found on the fly. Sums are exact integers, so no
// result depends on which rows are computed together.
#pragma once

#include <memory>

#include "bough/model/kernels/kernels.h"

namespace bough {

class Int8Matrix : public RowProduct {
 public:
  /// Quantises `matrix` [columns, depth].
  Int8Matrix(const float* matrix, int64_t columns, int64_t depth);
  ~Int8Matrix() override;

  void multiply(const float* x, int64_t rows, const float* bias, float* y) const override;
  void add_product(const float* x, int64_t rows, float* y) const override;

 private:
  class Product;  // oneDNN's side

  /// y = x · wᵀ, plus `bias` or, where that is null, what y holds.
  void run(const float* x, int64_t rows, const float* bias, float* y) const;

  int64_t columns_;
  int64_t depth_;
  std::vector<float> scales_;  // by column
  std::vector<float> sums_;    // of a column's quantised weights
  std::unique_ptr<Product> product_;
};

}  // namespace bough
