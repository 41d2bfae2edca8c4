#include "bough/model/layers/tree_encoding.h"

#include <algorithm>

#include "bough/model/layers/functions.h"

namespace bough {

namespace {

using torch::Tensor;

/// Calls body(d, right) for the steps that are told, d counting from 0.
template <typename Body>
void for_each_step(const TreeAddress& address, int64_t largest_depth, Body body) {
  int64_t told = std::min<int64_t>(address.depth, largest_depth);
  for (int64_t d = 0; d < told; ++d)
    body(d, static_cast<int64_t>(address.path >> (told - 1 - d) & 1));
}

}  // namespace

std::vector<TreeAddress> addresses_read(std::span<const StepInput> inputs,
                                        const RowLayout& layout) {
  std::vector<TreeAddress> addresses(inputs.size());
  for (int64_t s = 0; s < layout.sentences(); ++s) {
    std::span<const int64_t> rows = layout.rows_of(s);
    for (size_t t = 1; t < rows.size(); ++t) {
      addresses[static_cast<size_t>(rows[t])] =
          TreeAddress::of(inputs[static_cast<size_t>(rows[t - 1])]);
    }
  }
  return addresses;
}

Tensor TreeEncoding::encode(std::span<const TreeAddress> addresses) const {
  int64_t width = steps.size(0);
  Tensor paths = torch::zeros({static_cast<int64_t>(addresses.size()), width});
  float* numbers = change_numbers(paths).data();
  for (size_t i = 0; i < addresses.size(); ++i) {
    float* path = numbers + static_cast<int64_t>(i) * width;
    for_each_step(addresses[i], width / 2,
                  [&](int64_t d, int64_t right) { path[2 * d + right] = 1.0F; });
  }
  Tensor exponents = torch::arange(width / 2, steps.options().requires_grad(false));
  Tensor series = torch::pow(ratio, exponents).repeat_interleave(2).unsqueeze(1);  // [width, 1]
  return torch::matmul(paths.to(steps.device()), series * steps);
}

void TreeEncoding::add_to(const TreeAddress& address, float* row) const {
  int64_t width = steps.size(1);
  const float* table = steps.data_ptr<float>();
  float p = *ratio.data_ptr<float>();
  float weight = 1.0F;
  for_each_step(address, steps.size(0) / 2, [&](int64_t d, int64_t right) {
    const float* step = table + (2 * d + right) * width;
    for (int64_t j = 0; j < width; ++j) row[j] += weight * step[j];
    weight *= p;
  });
}

}  // namespace bough
