#include "bough/model/kernels/packed_matrix.h"

#include <algorithm>
#include <memory>

#include "bough/model/kernels/dispatch.h"
#include "bough/model/kernels/table.h"

namespace bough {

namespace {

/// A product runs over so much of its depth at a time: rows and weights then stay in the L2 cache.
constexpr int64_t kDepthAtOnce = 512;

}  // namespace

PackedMatrix::PackedMatrix(int64_t columns, int64_t depth)
    : columns_(columns), depth_(depth), data_(static_cast<size_t>(panels() * depth * kPanel)) {}

void PackedMatrix::fill(const float* matrix) {
  constexpr int64_t kTile = 64;
#pragma omp parallel for if (columns_ * depth_ > kWorthAThread)
  for (int64_t panel = 0; panel < panels(); ++panel) {
    float* to = data_.data() + panel * depth_ * kPanel;
    int64_t count = std::min(kPanel, columns_ - panel * kPanel);
    for (int64_t begin = 0; begin < depth_; begin += kTile) {  // a tile stays in the L1 cache
      int64_t end = std::min(begin + kTile, depth_);
      for (int64_t n = 0; n < count; ++n) {
        const float* from = matrix + (panel * kPanel + n) * depth_;
        for (int64_t k = begin; k < end; ++k) to[k * kPanel + n] = from[k];
      }
    }
  }
}

void PackedMatrix::fill_transposed(const float* matrix) {
#pragma omp parallel for if (columns_ * depth_ > kWorthAThread)
  for (int64_t panel = 0; panel < panels(); ++panel) {
    float* to = data_.data() + panel * depth_ * kPanel;
    int64_t count = std::min(kPanel, columns_ - panel * kPanel);
    for (int64_t k = 0; k < depth_; ++k) {
      std::copy_n(matrix + k * columns_ + panel * kPanel, count, to + k * kPanel);
    }
  }
}

void PackedMatrix::multiply(const float* x, int64_t rows, const float* bias, float* y) const {
  multiply_from(x, rows, y, [&](int64_t first, int64_t count) {
    for (int64_t r = 0; r < rows; ++r) std::copy_n(bias + first, count, y + r * columns_ + first);
  });
}

void PackedMatrix::add_product(const float* x, int64_t rows, float* y) const {
  multiply_from(x, rows, y, [](int64_t, int64_t) {});
}

template <typename Begin>
void PackedMatrix::multiply_from(const float* x, int64_t rows, float* y, Begin begin) const {
  const KernelTable& chosen = kernels();
  // Rows go through the kernel in blocks of about the same size, each laid out [depth, rows] so
  // that the kernel reads it in one stream.
  int64_t blocks = (rows + chosen.rows_at_once - 1) / chosen.rows_at_once;
  auto first_row = [&](int64_t block) { return block * rows / blocks; };
  std::unique_ptr<float[]> joined(new float[static_cast<size_t>(rows * depth_)]);
#pragma omp parallel if (rows * columns_ * depth_ > 16 * kWorthAThread)
  {
#pragma omp for schedule(static)
    for (int64_t block = 0; block < blocks; ++block) {
      int64_t first = first_row(block);
      int64_t count = first_row(block + 1) - first;
      float* to = joined.get() + first * depth_;
      for (int64_t r = 0; r < count; ++r) {
        const float* from = x + (first + r) * depth_;
        for (int64_t k = 0; k < depth_; ++k) to[k * count + r] = from[k];
      }
    }
#pragma omp for schedule(static)
    for (int64_t panel = 0; panel < panels(); ++panel) {
      int64_t first = panel * kPanel;
      int64_t columns = std::min(kPanel, columns_ - first);
      begin(first, columns);
      for (int64_t k = 0; k < depth_; k += kDepthAtOnce) {
        int64_t depth = std::min(kDepthAtOnce, depth_ - k);
        for (int64_t block = 0; block < blocks; ++block) {
          int64_t row = first_row(block);
          int64_t count = first_row(block + 1) - row;
          chosen.multiply_panel(joined.get() + row * depth_ + k * count, count, depth,
                                data_.data() + first * depth_ + k * kPanel, columns,
                                y + row * columns_ + first, columns_);
        }
      }
    }
  }
}

}  // namespace bough
