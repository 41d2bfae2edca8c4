// The kernels themselves. A source file of each instruction set defines BOUGH_KERNEL_NAMESPACE,
// BOUGH_KERNEL_TABLE, BOUGH_KERNEL_NAME, BOUGH_KERNEL_LANES (floats in a register) and
// BOUGH_KERNEL_ROWS (6 or 12: rows of a product whose sums fit the registers) and includes this.

#include <cmath>
#include <cstring>

#include "bough/base/random.h"
#include "bough/model/kernels/packed_matrix.h"
#include "bough/model/kernels/rows.h"
#include "bough/model/kernels/table.h"

namespace bough {
namespace BOUGH_KERNEL_NAMESPACE {

#include "bough/model/kernels/vector.h"

/// Runs body(index, count) over [0, size): kLanes numbers at a time, and once for what is left.
template <typename Body>
BOUGH_INLINE void for_each_vector(int64_t size, Body body) {
  int64_t index = 0;
  for (; index + kLanes <= size; index += kLanes) body(index, kLanes);
  if (index < size) body(index, size - index);
}

BOUGH_INLINE Vector get(const float* from, int64_t count, float rest = 0.0F) {
  return count == kLanes ? load(from) : load_part(from, count, rest);
}

BOUGH_INLINE void put(float* to, Vector x, int64_t count) {
  if (count == kLanes) {
    store(to, x);
  } else {
    store_part(to, x, count);
  }
}

/// kRows rows of x, laid out [depth, kRows], times kParts registers' width of a panel, added to y.
/// Each sum runs over k in order: what else is computed at the same time doesn't change it.
template <int kRows, int kParts>
BOUGH_INLINE void multiply_rows(const float* x, int64_t depth, const float* panel, int64_t columns,
                                float* y, int64_t y_stride) {
  constexpr int64_t kAhead = 16;  // weights come from the L2 cache or beyond: ask for them early
  auto count_of = [columns](int part) {  // columns of this part; the last panel may be narrower
    int64_t left = columns - part * kLanes;
    return left < 0 ? 0 : left < kLanes ? left : kLanes;
  };
  Vector total[kRows][kParts];
  for (int r = 0; r < kRows; ++r) {
    for (int part = 0; part < kParts; ++part) {
      total[r][part] = get(y + r * y_stride + part * kLanes, count_of(part));
    }
  }
  for (int64_t k = 0; k < depth; ++k) {
    Vector weights[kParts];
    for (int part = 0; part < kParts; ++part) {
      weights[part] = load(panel + k * PackedMatrix::kPanel + part * kLanes);
      __builtin_prefetch(panel + (k + kAhead) * PackedMatrix::kPanel + part * kLanes);
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      Vector value = splat(x[k * kRows + r]);
#pragma GCC unroll 4
      for (int part = 0; part < kParts; ++part) total[r][part] += value * weights[part];
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int part = 0; part < kParts; ++part) {
      put(y + r * y_stride + part * kLanes, total[r][part], count_of(part));
    }
  }
}

template <int kRows>
void multiply_panel_rows(const float* x, int64_t depth, const float* panel, int64_t columns,
                         float* y, int64_t y_stride) {
  // Few rows have registers to spare: more sums that don't wait for each other.
  constexpr int kParts = kRows <= 2 && 4 * kLanes <= PackedMatrix::kPanel ? 4 : 2;
  for (int64_t first = 0; first < columns; first += kParts * kLanes) {
    multiply_rows<kRows, kParts>(x, depth, panel + first, columns - first, y + first, y_stride);
  }
}

void multiply_panel(const float* x, int64_t rows, int64_t depth, const float* panel,
                    int64_t columns, float* y, int64_t y_stride) {
  switch (rows) {
#define BOUGH_ROWS(n) \
  case n:             \
    return multiply_panel_rows<n>(x, depth, panel, columns, y, y_stride);
    BOUGH_ROWS(1)
    BOUGH_ROWS(2)
    BOUGH_ROWS(3)
    BOUGH_ROWS(4)
    BOUGH_ROWS(5)
    BOUGH_ROWS(6)
#if BOUGH_KERNEL_ROWS > 6
    BOUGH_ROWS(7)
    BOUGH_ROWS(8)
    BOUGH_ROWS(9)
    BOUGH_ROWS(10)
    BOUGH_ROWS(11)
    BOUGH_ROWS(12)
#endif
#undef BOUGH_ROWS
  }
}

void lstm_forward(const LstmCell& cell, int64_t row) {
  int64_t hidden = cell.hidden;
  float* gates = cell.gates + row * 4 * hidden;
  const float* before = cell.cell_before != nullptr ? cell.cell_before + row * hidden : nullptr;
  float* after = cell.cell + row * hidden;
  float* output = cell.output + row * hidden;
  for_each_vector(hidden, [=](int64_t j, int64_t count) {
    Vector input = sigmoid(get(gates + j, count));
    Vector forget = sigmoid(get(gates + hidden + j, count));
    Vector value = tanh(get(gates + 2 * hidden + j, count));
    Vector gate = sigmoid(get(gates + 3 * hidden + j, count));
    Vector memory = input * value;
    if (before != nullptr) memory += forget * get(before + j, count);
    put(gates + j, input, count);
    put(gates + hidden + j, forget, count);
    put(gates + 2 * hidden + j, value, count);
    put(gates + 3 * hidden + j, gate, count);
    put(after + j, memory, count);
    put(output + j, gate * tanh(memory), count);
  });
}

void lstm_backward(const LstmCellGradient& cell, int64_t row) {
  int64_t hidden = cell.hidden;
  float* gates = cell.gates + row * 4 * hidden;
  const float* before = cell.cell_before != nullptr ? cell.cell_before + row * hidden : nullptr;
  const float* after = cell.cell + row * hidden;
  const float* d_output = cell.d_output + row * hidden;
  float* d_cell = cell.d_cell + row * hidden;
  const Vector one = splat(1.0F);
  for_each_vector(hidden, [=](int64_t j, int64_t count) {
    Vector input = get(gates + j, count);
    Vector forget = get(gates + hidden + j, count);
    Vector value = get(gates + 2 * hidden + j, count);
    Vector gate = get(gates + 3 * hidden + j, count);
    Vector squashed = tanh(get(after + j, count));
    Vector d_out = get(d_output + j, count);
    Vector d_memory = get(d_cell + j, count) + d_out * gate * (one - squashed * squashed);
    Vector memory_before = before != nullptr ? get(before + j, count) : splat(0.0F);
    put(gates + j, d_memory * value * input * (one - input), count);
    put(gates + hidden + j, d_memory * memory_before * forget * (one - forget), count);
    put(gates + 2 * hidden + j, d_memory * input * (one - value * value), count);
    put(gates + 3 * hidden + j, d_out * squashed * gate * (one - gate), count);
    put(d_cell + j, d_memory * forget, count);
  });
}

BOUGH_INLINE float largest_of(Vector x) {
  float result = x[0];
  for (int64_t i = 1; i < kLanes; ++i) result = x[i] > result ? x[i] : result;
  return result;
}

float largest(const float* row, int64_t size) {
  Vector most = splat(-INFINITY);
  for_each_vector(size, [&](int64_t i, int64_t count) {
    Vector x = get(row + i, count, -INFINITY);
    most = x > most ? x : most;
  });
  return largest_of(most);
}

float add_bias(float* row, const float* bias, int64_t size) {
  Vector most = splat(-INFINITY);
  for_each_vector(size, [&](int64_t i, int64_t count) {
    Vector x = get(row + i, count, -INFINITY) + get(bias + i, count);
    put(row + i, x, count);
    most = x > most ? x : most;
  });
  return largest_of(most);
}

float exponentiate(float* row, int64_t size, float max) {
  Vector shift = splat(max);
  Vector total = splat(0.0F);
  for_each_vector(size, [&](int64_t i, int64_t count) {
    Vector x = get(row + i, count, -INFINITY);
    Vector e = x == splat(-INFINITY) ? splat(0.0F) : exp(x - shift);
    put(row + i, e, count);
    total += e;
  });
  return sum(total);
}

void exp_moments(const float* row, int64_t size, float max, float* sum_, float* weighted) {
  Vector shift = splat(max);
  Vector total = splat(0.0F);
  Vector moment = splat(0.0F);
  for_each_vector(size, [&](int64_t i, int64_t count) {
    Vector x = get(row + i, count, -INFINITY) - shift;
    Vector nothing = splat(0.0F);
    Vector e = x == splat(-INFINITY) ? nothing : exp(x);
    total += e;
    moment += x == splat(-INFINITY) ? nothing : e * x;
  });
  *sum_ = sum(total);
  *weighted = sum(moment);
}

float sum_of(const float* row, int64_t size) {
  Vector total = splat(0.0F);
  for_each_vector(size, [&](int64_t i, int64_t count) { total += get(row + i, count); });
  return sum(total);
}

void maxima(const float* row, int64_t members, float* to) {
  for (int64_t part = 0; part < kGroups; part += kLanes) {
    Vector most = splat(-INFINITY);
    for (int64_t j = 0; j < members; ++j) {
      Vector x = load(row + j * kGroups + part);
      most = x > most ? x : most;
    }
    store(to + part, most);
  }
}

void scale(float* row, int64_t size, float factor) {
  Vector by = splat(factor);
  for_each_vector(size,
                  [&](int64_t i, int64_t count) { put(row + i, get(row + i, count) * by, count); });
}

void scale_and_add(float* row, int64_t size, float factor, float* total) {
  Vector by = splat(factor);
  for_each_vector(size, [&](int64_t i, int64_t count) {
    Vector x = get(row + i, count) * by;
    put(row + i, x, count);
    put(total + i, get(total + i, count) + x, count);
  });
}

float dot(const float* a, const float* b, int64_t size) {
  constexpr int kSums = 4;  // that don't wait for each other
  Vector sums[kSums] = {};
  int64_t i = 0;
  for (; i + kSums * kLanes <= size; i += kSums * kLanes) {
    for (int part = 0; part < kSums; ++part) {
      sums[part] += load(a + i + part * kLanes) * load(b + i + part * kLanes);
    }
  }
  for_each_vector(size - i, [&](int64_t rest, int64_t count) {
    sums[0] += get(a + i + rest, count) * get(b + i + rest, count);
  });
  return sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

void squash(float* row, int64_t size) {
  for_each_vector(
      size, [&](int64_t i, int64_t count) { put(row + i, tanh(get(row + i, count)), count); });
}

void score_block(const float* query, const float* keys, int64_t columns, float* scores) {
  constexpr int kParts = kKeyBlock / kLanes;
  Vector even[kParts] = {};  // two sums that don't wait for each other
  Vector odd[kParts] = {};
  int64_t c = 0;
  for (; c + 1 < columns; c += 2) {
    for (int part = 0; part < kParts; ++part) {
      even[part] += query[c] * load(keys + c * kKeyBlock + part * kLanes);
      odd[part] += query[c + 1] * load(keys + (c + 1) * kKeyBlock + part * kLanes);
    }
  }
  for (int part = 0; part < kParts; ++part) {
    if (c < columns) even[part] += query[c] * load(keys + c * kKeyBlock + part * kLanes);
    store(scores + part * kLanes, even[part] + odd[part]);
  }
}

void mix_values(const float* weights, int64_t count, const float* values, int64_t stride,
                int64_t columns, float* context) {
  for_each_vector(columns, [&](int64_t first, int64_t width) {
    Vector total = splat(0.0F);
    for (int64_t i = 0; i < count; ++i) {
      total += weights[i] * get(values + i * stride + first, width);
    }
    put(context + first, total, width);
  });
}

float tanh_score(const float* query, const float* key, const float* score, int64_t size) {
  Vector total = splat(0.0F);
  for_each_vector(size, [&](int64_t i, int64_t count) {
    total += get(score + i, count) * tanh(get(query + i, count) + get(key + i, count));
  });
  return sum(total);
}

void tanh_score_backward(const TanhScoreGradient& of) {
  Vector by = splat(of.gradient);
  for_each_vector(of.size, [&](int64_t i, int64_t count) {
    Vector squashed = tanh(get(of.query + i, count) + get(of.key + i, count));
    Vector inner = by * get(of.score + i, count) * (splat(1.0F) - squashed * squashed);
    put(of.d_query + i, get(of.d_query + i, count) + inner, count);
    put(of.d_key + i, get(of.d_key + i, count) + inner, count);
    put(of.d_score + i, get(of.d_score + i, count) + by * squashed, count);
  });
}

ByteScale to_bytes(const float* row, int64_t size, uint8_t* bytes) {
  Vector least = splat(0.0F);  // zero itself has to be exact
  Vector most = splat(0.0F);
  for_each_vector(size, [&](int64_t i, int64_t count) {
    Vector x = get(row + i, count);
    least = x < least ? x : least;
    most = x > most ? x : most;
  });
  float low = -largest_of(-least);
  float high = largest_of(most);
  if (high == low) high = 1.0F;
  ByteScale result{.scale = (high - low) / 255.0F};
  float by = 1.0F / result.scale;
  result.zero = std::nearbyint(-low * by);
  float start = result.zero + 0.5F;
  for (int64_t i = 0; i < size; ++i) {
    auto byte = static_cast<int32_t>(row[i] * by + start);  // positive: cutting rounds
    bytes[i] = static_cast<uint8_t>(byte < 0 ? 0 : byte > 255 ? 255 : byte);
  }
  return result;
}

void from_sums(const int32_t* sums, const ByteScale& row, const float* column_scales,
               const float* column_sums, int64_t size, const float* start, float* y) {
  for (int64_t n = 0; n < size; ++n) {
    float sum = static_cast<float>(sums[n]) - row.zero * column_sums[n];
    y[n] = start[n] + row.scale * column_scales[n] * sum;
  }
}

BOUGH_INLINE Vector square_root(Vector x) {
  Vector result;
  for (int64_t i = 0; i < kLanes; ++i) result[i] = std::sqrt(x[i]);
  return result;
}

void adam(const AdamStep& step, float* parameter, float* gradient, float* first, float* second,
          int64_t size) {
  auto power = static_cast<double>(step.step);
  double first_correction = 1.0 - std::pow(step.beta1, power);
  double second_correction = 1.0 - std::pow(step.beta2, power);
  Vector beta1 = splat(static_cast<float>(step.beta1));
  Vector beta2 = splat(static_cast<float>(step.beta2));
  Vector rest1 = splat(static_cast<float>(1.0 - step.beta1));
  Vector rest2 = splat(static_cast<float>(1.0 - step.beta2));
  Vector gradient_scale = splat(static_cast<float>(step.gradient_scale));
  Vector size_of_step = splat(static_cast<float>(step.learning_rate / first_correction));
  Vector root_scale = splat(static_cast<float>(1.0 / std::sqrt(second_correction)));
  Vector epsilon = splat(static_cast<float>(step.epsilon));
  for_each_vector(size, [&](int64_t i, int64_t count) {
    Vector g = get(gradient + i, count) * gradient_scale;
    Vector m = get(first + i, count) * beta1 + g * rest1;
    Vector v = get(second + i, count) * beta2 + g * g * rest2;
    put(gradient + i, splat(0.0F), count);
    put(first + i, m, count);
    put(second + i, v, count);
    Vector change = size_of_step * m / (square_root(v) * root_scale + epsilon);
    put(parameter + i, get(parameter + i, count) - change, count);
  });
}

double sum_of_squares(const float* values, int64_t size) {
  Vector total = splat(0.0F);
  for_each_vector(size, [&](int64_t i, int64_t count) {
    Vector x = get(values + i, count);
    total += x * x;
  });
  return sum(total);
}

void dropout(const float* x, float* y, int64_t size, float scale, uint32_t threshold,
             uint64_t key) {
  for (int64_t i = 0; i < size; ++i) {
    auto bits = static_cast<uint32_t>(mix_bits(key + static_cast<uint64_t>(i)) >> 40);
    y[i] = bits < threshold ? x[i] * scale : 0.0F;
  }
}

}  // namespace BOUGH_KERNEL_NAMESPACE

const KernelTable BOUGH_KERNEL_TABLE = {
    .name = BOUGH_KERNEL_NAME,
    .rows_at_once = BOUGH_KERNEL_ROWS,
    .multiply_panel = BOUGH_KERNEL_NAMESPACE::multiply_panel,
    .lstm_forward = BOUGH_KERNEL_NAMESPACE::lstm_forward,
    .lstm_backward = BOUGH_KERNEL_NAMESPACE::lstm_backward,
    .largest = BOUGH_KERNEL_NAMESPACE::largest,
    .add_bias = BOUGH_KERNEL_NAMESPACE::add_bias,
    .exponentiate = BOUGH_KERNEL_NAMESPACE::exponentiate,
    .exp_moments = BOUGH_KERNEL_NAMESPACE::exp_moments,
    .sum = BOUGH_KERNEL_NAMESPACE::sum_of,
    .maxima = BOUGH_KERNEL_NAMESPACE::maxima,
    .scale = BOUGH_KERNEL_NAMESPACE::scale,
    .scale_and_add = BOUGH_KERNEL_NAMESPACE::scale_and_add,
    .dot = BOUGH_KERNEL_NAMESPACE::dot,
    .squash = BOUGH_KERNEL_NAMESPACE::squash,
    .score_block = BOUGH_KERNEL_NAMESPACE::score_block,
    .mix_values = BOUGH_KERNEL_NAMESPACE::mix_values,
    .tanh_score = BOUGH_KERNEL_NAMESPACE::tanh_score,
    .tanh_score_backward = BOUGH_KERNEL_NAMESPACE::tanh_score_backward,
    .to_bytes = BOUGH_KERNEL_NAMESPACE::to_bytes,
    .from_sums = BOUGH_KERNEL_NAMESPACE::from_sums,
    .adam = BOUGH_KERNEL_NAMESPACE::adam,
    .sum_of_squares = BOUGH_KERNEL_NAMESPACE::sum_of_squares,
    .dropout = BOUGH_KERNEL_NAMESPACE::dropout,
};

}  // namespace bough
