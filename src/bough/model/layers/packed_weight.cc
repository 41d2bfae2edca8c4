#include "bough/model/layers/packed_weight.h"

#include <utility>

#include "bough/model/kernels/int8_matrix.h"

namespace bough {

PackedWeight::PackedWeight(torch::Tensor weight, bool transposed)
    : weight_(std::move(weight)), transposed_(transposed) {}

const RowProduct& PackedWeight::get(Precision precision) const {
  std::lock_guard lock(cache_->mutex);
  bool int8 = precision == Precision::kInt8;
  Packed& packed = int8 ? cache_->int8 : cache_->floats;
  if (packed.version == weight_._version()) return *packed.product;
  if (int8) {
    TORCH_CHECK(!transposed_, "gradients need the weight in float");
    packed.product =
        std::make_unique<Int8Matrix>(weight_.data_ptr<float>(), weight_.size(0), weight_.size(1));
  } else {
    pack_floats(packed);
  }
  packed.version = weight_._version();
  return *packed.product;
}

void PackedWeight::pack_floats(Packed& packed) const {
  const float* numbers = weight_.data_ptr<float>();
  int64_t rows = weight_.size(0);
  int64_t columns = weight_.size(1);
  if (!packed.product) {
    packed.product = transposed_ ? std::make_unique<PackedMatrix>(columns, rows)
                                 : std::make_unique<PackedMatrix>(rows, columns);
  }
  auto& matrix = static_cast<PackedMatrix&>(*packed.product);  // its memory is used again
  if (transposed_) {
    matrix.fill_transposed(numbers);
  } else {
    matrix.fill(numbers);
  }
}

}  // namespace bough
