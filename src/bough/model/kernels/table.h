// The kernels of one instruction set, as the sources beside this call them; ranges are one thread's
// share.
#pragma once

#include "bough/model/kernels/arrays.h"
#include "bough/model/kernels/attention.h"
#include "bough/model/kernels/byte_rows.h"
#include "bough/model/kernels/lstm_cell.h"

namespace bough {

struct KernelTable {
  const char* name;
  int64_t rows_at_once;
  /// y += x · panel for at most rows_at_once rows; x is laid out [depth, rows].
  void (*multiply_panel)(const float* x, int64_t rows, int64_t depth, const float* panel,
                         int64_t columns, float* y, int64_t y_stride);
  void (*lstm_forward)(const LstmCell&, int64_t row);
  void (*lstm_backward)(const LstmCellGradient&, int64_t row);
  float (*largest)(const float* row, int64_t size);
  float (*add_bias)(float* row, const float* bias, int64_t size);
  float (*exponentiate)(float* row, int64_t size, float max);
  /// Σ exp(x − max) and Σ exp(x − max) · (x − max).
  void (*exp_moments)(const float* row, int64_t size, float max, float* sum, float* weighted);
  float (*sum)(const float* row, int64_t size);
  /// One chunk of group_maxima.
  void (*maxima)(const float* row, int64_t members, float* to);
  void (*scale)(float* row, int64_t size, float factor);
  void (*scale_and_add)(float* row, int64_t size, float factor, float* total);
  float (*dot)(const float* a, const float* b, int64_t size);
  void (*squash)(float* row, int64_t size);
  void (*score_block)(const float* query, const float* keys, int64_t columns, float* scores);
  void (*mix_values)(const float* weights, int64_t count, const float* values, int64_t stride,
                     int64_t columns, float* context);
  float (*tanh_score)(const float* query, const float* key, const float* score, int64_t size);
  void (*tanh_score_backward)(const TanhScoreGradient&);
  ByteScale (*to_bytes)(const float* row, int64_t size, uint8_t* bytes);
  void (*from_sums)(const int32_t* sums, const ByteScale& row, const float* column_scales,
                    const float* column_sums, int64_t size, const float* start, float* y);
  void (*adam)(const AdamStep&, float* parameter, float* gradient, float* first, float* second,
               int64_t size);
  double (*sum_of_squares)(const float* values, int64_t size);
  void (*dropout)(const float* x, float* y, int64_t size, float scale, uint32_t threshold,
                  uint64_t key);
};

/// Of the instruction set in use.
const KernelTable& kernels();

extern const KernelTable kBaseKernels;
extern const KernelTable kAvx2Kernels;
extern const KernelTable kAvx512Kernels;

}  // namespace bough
