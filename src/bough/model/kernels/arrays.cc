#include "bough/model/kernels/arrays.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bough/base/random.h"
#include "bough/model/kernels/table.h"

namespace bough {

namespace {

/// Long arrays are cut into pieces of this size, whatever the number of threads.
constexpr int64_t kPiece = 1 << 16;

int64_t pieces(size_t size) {
  return (static_cast<int64_t>(size) + kPiece - 1) / kPiece;
}
int64_t piece_size(size_t size, int64_t piece) {
  return std::min(kPiece, static_cast<int64_t>(size) - piece * kPiece);
}

}  // namespace

void adam_update(const AdamStep& step, std::span<float> parameter, std::span<float> gradient,
                 std::span<float> first_moment, std::span<float> second_moment) {
  const KernelTable& chosen = kernels();
#pragma omp parallel for schedule(static) if (pieces(parameter.size()) > 1)
  for (int64_t piece = 0; piece < pieces(parameter.size()); ++piece) {
    int64_t at = piece * kPiece;
    chosen.adam(step, parameter.data() + at, gradient.data() + at, first_moment.data() + at,
                second_moment.data() + at, piece_size(parameter.size(), piece));
  }
}

double sum_of_squares(std::span<const float> values) {
  const KernelTable& chosen = kernels();
  std::vector<double> partial(static_cast<size_t>(pieces(values.size())));
#pragma omp parallel for schedule(static) if (partial.size() > 1)
  for (int64_t piece = 0; piece < pieces(values.size()); ++piece) {
    partial[static_cast<size_t>(piece)] =
        chosen.sum_of_squares(values.data() + piece * kPiece, piece_size(values.size(), piece));
  }
  double total = 0.0;
  for (double part : partial) total += part;
  return total;
}

void dropout(std::span<const float> x, std::span<float> y, double keep, uint64_t key,
             std::span<const uint64_t> rows) {
  if (rows.empty()) return;
  const KernelTable& chosen = kernels();
  auto threshold = static_cast<uint32_t>(std::lround(keep * 0x1.0p24));
  auto scale = static_cast<float>(1.0 / keep);
  auto width = static_cast<int64_t>(x.size() / rows.size());
  auto count = static_cast<int64_t>(rows.size());
#pragma omp parallel for schedule(static) if (pieces(x.size()) > 1)
  for (int64_t row = 0; row < count; ++row) {
    chosen.dropout(x.data() + row * width, y.data() + row * width, width, scale, threshold,
                   mix_bits(key ^ rows[static_cast<size_t>(row)]));
  }
}

}  // namespace bough
