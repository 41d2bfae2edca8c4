#include "bough/model/packed_weight.h"

#include <utility>

#include "bough/model/kernels/int8_matrix.h"

namespace bough {

PackedWeight::PackedWeight(torch::Tensor weight, bool transposed)
    : weight_(std::move(weight)), transposed_(transposed) {}

const RowProduct& PackedWeight::get() const {
  std::lock_guard lock(cache_->mutex);
  if (cache_->version != weight_._version()) pack();
  return *cache_->product;
}

void PackedWeight::set_precision(Precision precision) {
  std::lock_guard lock(cache_->mutex);
  if (cache_->precision == precision) return;
  cache_->precision = precision;
  cache_->product.reset();
  cache_->version = -1;
}

void PackedWeight::pack() const {
  const float* numbers = weight_.data_ptr<float>();
  int64_t rows = weight_.size(0);
  int64_t columns = weight_.size(1);
  if (cache_->precision == Precision::kInt8) {
    TORCH_CHECK(!transposed_, "gradients need the weight in float");
    cache_->product = std::make_unique<Int8Matrix>(numbers, rows, columns);
  } else {
    if (!cache_->product) {
      cache_->product = transposed_ ? std::make_unique<PackedMatrix>(columns, rows)
                                    : std::make_unique<PackedMatrix>(rows, columns);
    }
    auto& matrix = static_cast<PackedMatrix&>(*cache_->product);  // its memory is used again
    if (transposed_) {
      matrix.fill_transposed(numbers);
    } else {
      matrix.fill(numbers);
    }
  }
  cache_->version = weight_._version();
}

}  // namespace bough
