#include "bough/model/kernels/int8_matrix.h"

#include <algorithm>
#include <memory>

#include "bough/model/kernels/byte_rows.h"
#include "bough/model/kernels/byte_weights.h"
#include "bough/model/kernels/dispatch.h"

namespace bough {

Int8Matrix::Int8Matrix(const float* matrix, int64_t columns, int64_t depth,
                       const ByteKernel& kernel)
    : kernel_(kernel),
      columns_(columns),
      depth_(depth),
      padded_depth_((depth + kByteGroup - 1) / kByteGroup * kByteGroup),
      scales_(static_cast<size_t>(columns)),
      sums_(static_cast<size_t>(columns)),
      data_(static_cast<size_t>(panels() * panel_bytes())) {
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < columns; ++n) {
    const float* row = matrix + n * depth;
    float scale = weight_scale({row, static_cast<size_t>(depth)}, kernel_.largest_weight);
    int8_t* to = data_.data() + n / kBytePanel * panel_bytes() + n % kBytePanel * kByteGroup;
    int64_t sum = 0;
    for (int64_t k = 0; k < depth; ++k) {
      int8_t weight = weight_to_byte(row[k], scale);
      to[k / kByteGroup * kByteGroup * kBytePanel + k % kByteGroup] = weight;
      sum += weight;
    }
    scales_[static_cast<size_t>(n)] = scale;
    sums_[static_cast<size_t>(n)] = static_cast<float>(sum);
  }
}

void Int8Matrix::multiply(const float* x, int64_t rows, const float* bias, float* y) const {
  run(x, rows, bias, y);
}

void Int8Matrix::add_product(const float* x, int64_t rows, float* y) const {
  run(x, rows, nullptr, y);
}

void Int8Matrix::run(const float* x, int64_t rows, const float* bias, float* y) const {
  auto depth = static_cast<size_t>(depth_);
  std::unique_ptr<uint8_t[]> bytes(new uint8_t[static_cast<size_t>(rows * padded_depth_)]);
  std::unique_ptr<ByteScale[]> scales(new ByteScale[static_cast<size_t>(rows)]);
  int64_t blocks = (rows + kernel_.rows_at_once - 1) / kernel_.rows_at_once;
  auto first_row = [&](int64_t block) { return block * rows / blocks; };  // of about the same size
#pragma omp parallel if (rows * columns_ * depth_ > 64 * kWorthAThread)
  {
#pragma omp for schedule(static)
    for (int64_t r = 0; r < rows; ++r) {
      uint8_t* to = bytes.get() + r * padded_depth_;
      scales[static_cast<size_t>(r)] = to_bytes({x + r * depth_, depth}, {to, depth});
      std::fill(to + depth_, to + padded_depth_, uint8_t{0});
    }
#pragma omp for schedule(static)
    for (int64_t panel = 0; panel < panels(); ++panel) {
      int64_t first = panel * kBytePanel;
      auto count = static_cast<size_t>(std::min(kBytePanel, columns_ - first));
      std::span<const float> column_scales(scales_.data() + first, count);
      std::span<const float> column_sums(sums_.data() + first, count);
      int32_t sums[kMostByteRows * kBytePanel];
      for (int64_t block = 0; block < blocks; ++block) {
        int64_t begin = first_row(block);
        int64_t end = first_row(block + 1);
        kernel_.multiply_panel(bytes.get() + begin * padded_depth_, end - begin, padded_depth_,
                               data_.data() + panel * panel_bytes(), sums);
        for (int64_t r = begin; r < end; ++r) {
          float* to = y + r * columns_ + first;
          from_sums(sums + (r - begin) * kBytePanel, scales[static_cast<size_t>(r)], column_scales,
                    column_sums, bias != nullptr ? bias + first : to, to);
        }
      }
    }
  }
}

}  // namespace bough
