#include "bough/model/packed_weight.h"

#include <utility>

namespace bough {

PackedWeight::PackedWeight(torch::Tensor weight, bool transposed)
    : weight_(std::move(weight)), transposed_(transposed) {}

const PackedMatrix& PackedWeight::get() const {
  std::lock_guard lock(cache_->mutex);
  PackedMatrix& matrix = cache_->matrix;
  if (cache_->version == weight_._version()) return matrix;
  int64_t rows = weight_.size(0);
  int64_t columns = weight_.size(1);
  if (matrix.columns() == 0) {
    matrix = transposed_ ? PackedMatrix(columns, rows) : PackedMatrix(rows, columns);
  }
  if (transposed_) {
    matrix.fill_transposed(weight_.data_ptr<float>());
  } else {
    matrix.fill(weight_.data_ptr<float>());
  }
  cache_->version = weight_._version();
  return matrix;
}

}  // namespace bough
