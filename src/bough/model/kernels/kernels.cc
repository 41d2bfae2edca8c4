#include "bough/model/kernels/kernels.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "bough/base/error.h"
#include "bough/base/random.h"
#include "bough/model/kernels/table.h"

namespace bough {

namespace {

/// Long arrays are cut into pieces of this size, whatever the number of threads.
constexpr int64_t kPiece = 1 << 16;

/// A product runs over so much of its depth at a time: rows and weights then stay in the L2 cache.
constexpr int64_t kDepthAtOnce = 512;

constexpr std::string_view kPlain = "plain";

/// What BOUGH_KERNELS says: base, avx2, avx512 or plain (tests do); empty where it says nothing.
std::string_view wish() {
  const char* value = std::getenv("BOUGH_KERNELS");
  std::string_view name = value != nullptr ? value : "";
  if (name.empty() || name == "base" || name == "avx2" || name == "avx512" || name == kPlain) {
    return name;
  }
  throw UsageError("BOUGH_KERNELS takes base, avx2, avx512 or plain, not '{}'", name);
}

/// The best table for this CPU, or a lesser one where that is asked for.
const KernelTable& choose_table() {
  std::string_view most = wish().empty() || wish() == kPlain ? "avx512" : wish();
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  if (avx512 && most == "avx512") return kAvx512Kernels;
  if (avx2 && most != "base") return kAvx2Kernels;
  return kBaseKernels;
}

const KernelTable& table() {
  static const KernelTable& chosen = choose_table();
  return chosen;
}

int64_t pieces(size_t size) {
  return (static_cast<int64_t>(size) + kPiece - 1) / kPiece;
}
int64_t piece_size(size_t size, int64_t piece) {
  return std::min(kPiece, static_cast<int64_t>(size) - piece * kPiece);
}

/// The largest number of a row, Σ exp(x − max) and Σ exp(x − max) · (x − max).
struct ExpMoments {
  float max = 0.0F;
  float sum = 0.0F;
  float weighted = 0.0F;
};
ExpMoments exp_moments(std::span<const float> row) {
  auto size = static_cast<int64_t>(row.size());
  ExpMoments result{.max = table().largest(row.data(), size)};
  table().exp_moments(row.data(), size, result.max, &result.sum, &result.weighted);
  return result;
}

}  // namespace

const char* kernel_name() {
  static const bool plain = wish() == kPlain;
  return plain ? kPlain.data() : table().name;
}

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
  const KernelTable& kernels = table();
  // Rows go through the kernel in blocks of about the same size, each laid out [depth, rows] so
  // that the kernel reads it in one stream.
  int64_t blocks = (rows + kernels.rows_at_once - 1) / kernels.rows_at_once;
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
          kernels.multiply_panel(joined.get() + row * depth_ + k * count, count, depth,
                                 data_.data() + first * depth_ + k * kPanel, columns,
                                 y + row * columns_ + first, columns_);
        }
      }
    }
  }
}

void lstm_forward(const LstmCell& cell) {
  const KernelTable& kernels = table();
#pragma omp parallel for schedule(static) if (cell.rows * cell.hidden > kWorthAThread)
  for (int64_t row = 0; row < cell.rows; ++row) kernels.lstm_forward(cell, row);
}

void lstm_backward(const LstmCellGradient& cell) {
  const KernelTable& kernels = table();
#pragma omp parallel for schedule(static) if (cell.rows * cell.hidden > kWorthAThread)
  for (int64_t row = 0; row < cell.rows; ++row) kernels.lstm_backward(cell, row);
}

float add_bias(std::span<float> row, std::span<const float> bias) {
  return table().add_bias(row.data(), bias.data(), static_cast<int64_t>(row.size()));
}

float exponentiate(std::span<float> row, float max) {
  return table().exponentiate(row.data(), static_cast<int64_t>(row.size()), max);
}

ExpSum exponentiate(std::span<float> row) {
  float max = table().largest(row.data(), static_cast<int64_t>(row.size()));
  return {max, exponentiate(row, max)};
}

float log_sum_exp(std::span<const float> row) {
  ExpMoments moments = exp_moments(row);
  return moments.max + std::log(moments.sum);
}

Distribution distribution_of(std::span<const float> row) {
  ExpMoments moments = exp_moments(row);
  double log_sum = std::log(static_cast<double>(moments.sum));
  return {.log_sum = moments.max + log_sum,
          .entropy = log_sum - static_cast<double>(moments.weighted) / moments.sum};
}

int64_t draw_index(std::span<const float> weights, double uniform) {
  constexpr size_t kBlock = 512;
  const KernelTable& kernels = table();
  std::vector<double> sums;
  double total = 0.0;
  for (size_t begin = 0; begin < weights.size(); begin += kBlock) {
    size_t count = std::min(kBlock, weights.size() - begin);
    sums.push_back(kernels.sum(weights.data() + begin, static_cast<int64_t>(count)));
    total += sums.back();
  }
  double left = uniform * total;
  size_t block = 0;
  size_t last_positive = 0;
  for (; block < sums.size(); ++block) {
    if (sums[block] <= 0.0) continue;
    last_positive = block;
    if (left < sums[block]) break;
    left -= sums[block];
  }
  size_t begin = last_positive * kBlock;
  size_t end = std::min(begin + kBlock, weights.size());
  size_t chosen = begin;
  for (size_t i = begin; i < end; ++i) {
    if (weights[i] <= 0.0F) continue;
    chosen = i;
    left -= weights[i];
    if (left < 0.0) break;
  }
  return static_cast<int64_t>(chosen);
}

void group_maxima(std::span<const float> row, int64_t members, std::vector<float>& maxima) {
  const KernelTable& kernels = table();
  auto size = static_cast<int64_t>(row.size());
  int64_t chunk = kGroups * members;
  maxima.assign(static_cast<size_t>((size + chunk - 1) / chunk * kGroups), -INFINITY);
  int64_t begin = 0;
  for (; begin + chunk <= size; begin += chunk) {
    kernels.maxima(row.data() + begin, members, maxima.data() + begin / members);
  }
  for (int64_t i = begin; i < size; ++i) {
    float& most = maxima[static_cast<size_t>(begin / members + (i - begin) % kGroups)];
    most = std::max(most, row[static_cast<size_t>(i)]);
  }
}

void scale(std::span<float> row, float factor) {
  table().scale(row.data(), static_cast<int64_t>(row.size()), factor);
}

void scale_and_add(std::span<float> row, float factor, std::span<float> total) {
  table().scale_and_add(row.data(), static_cast<int64_t>(row.size()), factor, total.data());
}

float dot(std::span<const float> a, std::span<const float> b) {
  return table().dot(a.data(), b.data(), static_cast<int64_t>(a.size()));
}

void squash(std::span<float> row) {
  table().squash(row.data(), static_cast<int64_t>(row.size()));
}

void score_block(const float* query, const float* keys, int64_t columns, float* scores) {
  table().score_block(query, keys, columns, scores);
}

void mix_values(const float* weights, int64_t count, const float* values, int64_t stride,
                int64_t columns, float* context) {
  table().mix_values(weights, count, values, stride, columns, context);
}

float tanh_score(std::span<const float> query, const float* key, const float* score) {
  return table().tanh_score(query.data(), key, score, static_cast<int64_t>(query.size()));
}

void tanh_score_backward(const TanhScoreGradient& gradient) {
  table().tanh_score_backward(gradient);
}

ByteScale to_bytes(std::span<const float> row, std::span<uint8_t> bytes) {
  return table().to_bytes(row.data(), static_cast<int64_t>(row.size()), bytes.data());
}

void from_sums(const int32_t* sums, const ByteScale& row, std::span<const float> column_scales,
               std::span<const float> column_sums, const float* start, float* y) {
  table().from_sums(sums, row, column_scales.data(), column_sums.data(),
                    static_cast<int64_t>(column_scales.size()), start, y);
}

void adam_update(const AdamStep& step, std::span<float> parameter, std::span<float> gradient,
                 std::span<float> first_moment, std::span<float> second_moment) {
  const KernelTable& kernels = table();
#pragma omp parallel for schedule(static) if (pieces(parameter.size()) > 1)
  for (int64_t piece = 0; piece < pieces(parameter.size()); ++piece) {
    int64_t at = piece * kPiece;
    kernels.adam(step, parameter.data() + at, gradient.data() + at, first_moment.data() + at,
                 second_moment.data() + at, piece_size(parameter.size(), piece));
  }
}

double sum_of_squares(std::span<const float> values) {
  const KernelTable& kernels = table();
  std::vector<double> partial(static_cast<size_t>(pieces(values.size())));
#pragma omp parallel for schedule(static) if (partial.size() > 1)
  for (int64_t piece = 0; piece < pieces(values.size()); ++piece) {
    partial[static_cast<size_t>(piece)] =
        kernels.sum_of_squares(values.data() + piece * kPiece, piece_size(values.size(), piece));
  }
  double total = 0.0;
  for (double part : partial) total += part;
  return total;
}

void dropout(std::span<const float> x, std::span<float> y, double keep, uint64_t key,
             int64_t first) {
  const KernelTable& kernels = table();
  auto threshold = static_cast<uint32_t>(std::lround(keep * 0x1.0p24));
  auto scale = static_cast<float>(1.0 / keep);
#pragma omp parallel for schedule(static) if (pieces(x.size()) > 1)
  for (int64_t piece = 0; piece < pieces(x.size()); ++piece) {
    int64_t begin = piece * kPiece;
    kernels.dropout(x.data() + begin, y.data() + begin, piece_size(x.size(), piece), scale,
                    threshold, mix_bits(key) + static_cast<uint64_t>(first + begin));
  }
}

}  // namespace bough
