// The inner loops that LibTorch has no single operator for, on plain arrays.
//
// They are written once (implementation.h), compiled for each instruction set, and chosen at run
// time. Every output element is computed by one thread in one fixed order, so no result depends on
// the number of threads or on how many rows are computed together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bough/model/kernels/aligned.h"

namespace bough {

/// Work below this many numbers isn't worth waking a second thread.
constexpr int64_t kWorthAThread = 1 << 14;

/// A weight matrix w [columns, depth] kept for products with few rows, in whatever form.
class RowProduct {
 public:
  virtual ~RowProduct() = default;

  /// y[r, n] = bias[n] + Σ_k x[r, k] · w[n, k] for `rows` rows.
  virtual void multiply(const float* x, int64_t rows, const float* bias, float* y) const = 0;

  /// y[r, n] += Σ_k x[r, k] · w[n, k] for `rows` rows.
  virtual void add_product(const float* x, int64_t rows, float* y) const = 0;
};

/// A matrix [columns, depth] laid out for fast products with few rows: in panels of 32 columns,
/// each of them depth × 32 numbers, the last one padded with zeros.
class PackedMatrix : public RowProduct {
 public:
  static constexpr int64_t kPanel = 32;

  PackedMatrix() = default;
  PackedMatrix(int64_t columns, int64_t depth);

  /// Copies `matrix` [columns, depth].
  void fill(const float* matrix);

  /// Copies `matrix` [depth, columns].
  void fill_transposed(const float* matrix);

  void multiply(const float* x, int64_t rows, const float* bias, float* y) const override;
  void add_product(const float* x, int64_t rows, float* y) const override;

  int64_t columns() const { return columns_; }
  int64_t depth() const { return depth_; }

 private:
  /// Adds the product to what `begin(first column, count)` put into y.
  template <typename Begin>
  void multiply_from(const float* x, int64_t rows, float* y, Begin begin) const;

  int64_t panels() const { return (columns_ + kPanel - 1) / kPanel; }

  int64_t columns_ = 0;
  int64_t depth_ = 0;
  AlignedVector<float> data_;
};

/// One step of an LSTM layer on `rows` rows; gates in the order input, forget, cell, output.
struct LstmCell {
  int64_t rows = 0;
  int64_t hidden = 0;
  float* gates = nullptr;  // [rows, 4·hidden] before their activations; after: activated
  const float* cell_before = nullptr;  // [rows, hidden], or null for zeros
  float* cell = nullptr;               // [rows, hidden]
  float* output = nullptr;             // [rows, hidden]
};
void lstm_forward(const LstmCell& cell);

/// The same step backwards.
struct LstmCellGradient {
  int64_t rows = 0;
  int64_t hidden = 0;
  float* gates = nullptr;              // in: activated; out: gradient before the activations
  const float* cell_before = nullptr;  // [rows, hidden], or null for zeros
  const float* cell = nullptr;         // [rows, hidden]
  const float* d_output = nullptr;     // [rows, hidden]
  float* d_cell = nullptr;             // [rows, hidden] in: from the step behind; out: for the one
                                       // before
};
void lstm_backward(const LstmCellGradient& cell);

/// row += bias; gives the row's largest number.
float add_bias(std::span<float> row, std::span<const float> bias);

/// Turns a row into exp(x − max) for its largest number `max`; gives the sum. The softmax is
/// row / sum, the log-sum-exp is max + log(sum).
float exponentiate(std::span<float> row, float max);

struct ExpSum {
  float max = 0.0F;
  float sum = 0.0F;
};
/// The same, and finds `max` itself.
ExpSum exponentiate(std::span<float> row);

/// For a row that has to stay as it is.
float log_sum_exp(std::span<const float> row);

/// log Σ exp(x) and the entropy of the softmax, in nats.
struct Distribution {
  double log_sum = 0.0;
  double entropy = 0.0;
};
Distribution distribution_of(std::span<const float> row);

/// An index drawn in proportion to `weights` (at least one positive), by a number in [0, 1).
int64_t draw_index(std::span<const float> weights, double uniform);

/// The largest number of each group: a chunk of kGroups · members numbers is dealt out in turn to
/// kGroups groups, so group g of chunk c has the indices (c · members + j) · kGroups + g.
constexpr int64_t kGroups = 16;
void group_maxima(std::span<const float> row, int64_t members, std::vector<float>& maxima);

/// row · factor, which is also added to `total`.
void scale_and_add(std::span<float> row, float factor, std::span<float> total);

void scale(std::span<float> row, float factor);

float dot(std::span<const float> a, std::span<const float> b);

/// tanh of each number.
void squash(std::span<float> row);

/// How a row became bytes: x ≈ scale · (byte − zero).
struct ByteScale {
  float scale = 1.0F;
  float zero = 0.0F;
};
ByteScale to_bytes(std::span<const float> row, std::span<uint8_t> bytes);

/// y[n] = start[n] + (what the integer sums of a row of bytes times columns of signed bytes stand
/// for): `column_scales` are the columns', `column_sums` the sums of their bytes.
void from_sums(const int32_t* sums, const ByteScale& row, std::span<const float> column_scales,
               std::span<const float> column_sums, const float* start, float* y);

/// Adam's step for one parameter tensor, gradients scaled by `gradient_scale` first. The gradient
/// is zero afterwards, ready for the next update.
struct AdamStep {
  double learning_rate = 0.0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  int64_t step = 1;  // counted from 1
  double gradient_scale = 1.0;
};
void adam_update(const AdamStep& step, std::span<float> parameter, std::span<float> gradient,
                 std::span<float> first_moment, std::span<float> second_moment);

double sum_of_squares(std::span<const float> values);

/// y[i] = x[i] / keep, or 0 with probability 1 − keep, decided by a hash of (key, first + i): the
/// same key gives the same mask, so that none has to be kept for the backward pass.
void dropout(std::span<const float> x, std::span<float> y, double keep, uint64_t key,
             int64_t first = 0);

/// What computes: "avx512", "avx2" or "base", the instruction set in use; or "plain" where
/// BOUGH_KERNELS=plain asks for LibTorch's operators instead (see uses_kernels in
/// model/functions.h). Who calls a kernel all the same then gets the best one.
const char* kernel_name();

}  // namespace bough
