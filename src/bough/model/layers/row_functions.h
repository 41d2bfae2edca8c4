// Small things that steppers do to rows of numbers.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "bough/model/layers/linear_layer.h"

namespace bough {

inline void rectify(std::span<float> numbers) {
  for (float& number : numbers) number = std::max(number, 0.0F);
}

/// output = layer(input) for `rows` rows, each by itself, to the last bit.
inline void apply_linear(const LinearLayer& layer, Precision precision, const float* input,
                         int64_t rows, std::vector<float>& output) {
  output.resize(static_cast<size_t>(rows * layer.weight.size(0)));
  layer.packed.get(precision).multiply(input, rows, layer.bias.data_ptr<float>(), output.data());
}

/// Makes the named rows of a [rows, width] matrix its first ones; it has room for them.
inline void keep_rows(float* matrix, int64_t width, std::span<const int64_t> rows) {
  std::vector<float> copy;  // needed where a row is read after it has been written to
  const float* from = matrix;
  if (!std::is_sorted(rows.begin(), rows.end(), std::less_equal<>())) {
    copy.assign(matrix, matrix + (1 + *std::max_element(rows.begin(), rows.end())) * width);
    from = copy.data();
  }
  for (size_t to = 0; to < rows.size(); ++to) {
    if (rows[to] == static_cast<int64_t>(to)) continue;
    std::copy_n(from + rows[to] * width, width, matrix + static_cast<int64_t>(to) * width);
  }
}

/// Leaves these rows of a [rows, width] matrix, in this order.
inline void keep_rows(std::vector<float>& matrix, int64_t width, std::span<const int64_t> rows) {
  size_t size = rows.size() * static_cast<size_t>(width);
  matrix.resize(std::max(matrix.size(), size));
  keep_rows(matrix.data(), width, rows);
  matrix.resize(size);
}

}  // namespace bough
