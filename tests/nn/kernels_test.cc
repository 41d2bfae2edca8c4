// Every kernel against a plain loop in double precision, at sizes that fit no register.
#include "bough/model/kernels/arrays.h"
#include "bough/model/kernels/dispatch.h"
#include "bough/model/kernels/lstm_cell.h"
#include "bough/model/kernels/packed_matrix.h"
#include "bough/model/kernels/rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "bough/base/random.h"
#include "bough/model/kernels/table.h"
#include "bough/model/layers/functions.h"
#include "bough/model/torch.h"

namespace bough {
namespace {

std::vector<float> random_numbers(int64_t count, uint64_t seed, double size = 1.0) {
  RandomStream random(seed, Purpose::kTest);
  std::vector<float> numbers(static_cast<size_t>(count));
  for (float& number : numbers) number = static_cast<float>(size * random.normal());
  return numbers;
}

/// Σ_k x[r, k] · w[n, k], in double precision.
double plain_element(const std::vector<float>& x, const std::vector<float>& weight, int64_t depth,
                     int64_t r, int64_t n) {
  double sum = 0.0;
  for (int64_t k = 0; k < depth; ++k) {
    sum += static_cast<double>(x[static_cast<size_t>(r * depth + k)]) *
           weight[static_cast<size_t>(n * depth + k)];
  }
  return sum;
}

TEST(Kernels, PackedProductEqualsAPlainLoop) {
  for (int64_t depth : {1, 37, 1100}) {  // the last is more than a product takes at once
    for (int64_t columns : {1, 31, 32, 33, 100}) {
      for (int64_t rows : {1, 2, 5, 12, 13, 40}) {
        auto x = random_numbers(rows * depth, 1);
        auto weight = random_numbers(columns * depth, 2);
        auto bias = random_numbers(columns, 4);
        PackedMatrix packed(columns, depth);
        packed.fill(weight.data());
        std::vector<float> transposed(weight.size());
        for (int64_t n = 0; n < columns; ++n) {
          for (int64_t k = 0; k < depth; ++k) {
            transposed[static_cast<size_t>(k * columns + n)] =
                weight[static_cast<size_t>(n * depth + k)];
          }
        }
        PackedMatrix other(columns, depth);
        other.fill_transposed(transposed.data());
        std::vector<float> y(static_cast<size_t>(rows * columns), -1.0F);
        packed.multiply(x.data(), rows, bias.data(), y.data());
        std::vector<float> twice = y;
        other.add_product(x.data(), rows, twice.data());
        double tolerance = 1e-5 * std::sqrt(static_cast<double>(depth)) + 1e-5;
        for (int64_t r = 0; r < rows; ++r) {
          for (int64_t n = 0; n < columns; ++n) {
            double product = plain_element(x, weight, depth, r, n);
            auto at = static_cast<size_t>(r * columns + n);
            ASSERT_NEAR(y[at], bias[static_cast<size_t>(n)] + product, tolerance);
            ASSERT_NEAR(twice[at], bias[static_cast<size_t>(n)] + 2.0 * product, 2.0 * tolerance);
          }
        }
      }
    }
  }
}

TEST(Kernels, LargeProductsTakeTransposesAndAdd) {
  int64_t rows = 37;
  int64_t depth = 21;
  int64_t columns = 50;
  for (bool transpose_a : {false, true}) {
    for (bool transpose_b : {false, true}) {
      for (float keep : {0.0F, 1.0F}) {
        torch::Tensor a = torch::randn({rows, depth});
        torch::Tensor b = torch::randn({depth, columns});
        torch::Tensor c = torch::randn({rows, columns});
        torch::Tensor expected = a.mm(b) + keep * c;
        multiply_into(c, transpose_a ? a.t().contiguous().t() : a,
                      transpose_b ? b.t().contiguous().t() : b, keep);
        EXPECT_TRUE(torch::allclose(c, expected, 1e-4, 1e-4));
      }
    }
  }
}

TEST(Kernels, ARowOfAProductDoesNotDependOnTheOthers) {
  int64_t columns = 77;
  int64_t depth = 123;
  int64_t rows = 29;
  auto x = random_numbers(rows * depth, 1);
  auto weight = random_numbers(columns * depth, 2);
  PackedMatrix packed(columns, depth);
  packed.fill(weight.data());
  std::vector<float> together(static_cast<size_t>(rows * columns));
  auto bias = random_numbers(columns, 3);
  packed.multiply(x.data(), rows, bias.data(), together.data());
  for (int64_t r = 0; r < rows; ++r) {
    std::vector<float> alone(static_cast<size_t>(columns));
    packed.multiply(x.data() + r * depth, 1, bias.data(), alone.data());
    for (int64_t n = 0; n < columns; ++n) {
      EXPECT_EQ(alone[static_cast<size_t>(n)], together[static_cast<size_t>(r * columns + n)]);
    }
  }
}

TEST(Kernels, SoftmaxPartsEqualTheirDefinition) {
  for (int64_t size : {1, 7, 16, 50, 1000}) {
    auto row = random_numbers(size, 5, 20.0);
    double max = *std::max_element(row.begin(), row.end());
    double sum = 0.0;
    for (float x : row) sum += std::exp(x - max);
    EXPECT_NEAR(log_sum_exp(row), max + std::log(sum), 1e-5 * std::abs(max) + 1e-5);
    auto changed = row;
    ExpSum result = exponentiate(changed);
    EXPECT_FLOAT_EQ(result.max, static_cast<float>(max));
    EXPECT_NEAR(result.sum, sum, 1e-5 * sum);
    for (size_t i = 0; i < row.size(); ++i) {
      EXPECT_NEAR(changed[i], std::exp(row[i] - max), 1e-6);
    }
    auto bias = random_numbers(size, 6);
    auto sums = row;
    float largest = add_bias(sums, bias);
    EXPECT_EQ(largest, *std::max_element(sums.begin(), sums.end()));
    auto total = bias;
    auto scaled = row;
    scale_and_add(scaled, 0.5F, total);
    for (size_t i = 0; i < row.size(); ++i) {
      EXPECT_FLOAT_EQ(sums[i], row[i] + bias[i]);
      EXPECT_FLOAT_EQ(scaled[i], 0.5F * row[i]);
      EXPECT_NEAR(total[i], bias[i] + 0.5F * row[i], 1e-5);
    }
  }
}

TEST(Kernels, ForbiddenActionsHaveNoWeight) {
  std::vector<float> row = {1.0F, -INFINITY, 2.0F, -INFINITY};
  ExpSum result = exponentiate(row);
  EXPECT_EQ(row[1], 0.0F);
  EXPECT_EQ(row[3], 0.0F);
  EXPECT_NEAR(result.sum, 1.0 + std::exp(-1.0), 1e-6);
}

TEST(Kernels, DistributionEqualsItsDefinition) {
  auto row = random_numbers(1000, 5, 3.0);
  row[17] = -INFINITY;
  double sum = 0.0;
  for (float x : row) sum += std::exp(static_cast<double>(x));
  double entropy = 0.0;
  for (float x : row) {
    double p = std::exp(static_cast<double>(x)) / sum;
    if (p > 0.0) entropy -= p * std::log(p);
  }
  Distribution result = distribution_of(row);
  EXPECT_NEAR(result.log_sum, std::log(sum), 1e-5);
  EXPECT_NEAR(result.entropy, entropy, 1e-4);
}

TEST(Kernels, TheLargestIsFoundWhereverItIs) {
  RandomStream random(3, Purpose::kTest);
  for (size_t size : {1, 7, 1024, 1025, 5000}) {
    for (int trial = 0; trial < 50; ++trial) {
      std::vector<float> row(size);
      for (float& x : row) x = static_cast<float>(random.below(2 * size));  // with equal ones
      EXPECT_EQ(largest_index(row), std::max_element(row.begin(), row.end()) - row.begin());
    }
    std::vector<float> forbidden(size, -INFINITY);
    EXPECT_EQ(largest_index(forbidden), 0);
  }
}

TEST(Kernels, DrawsFollowTheWeights) {
  std::vector<float> weights(3000, 0.0F);  // several blocks, most of them empty
  weights[5] = 1.0F;
  weights[1200] = 2.0F;
  weights[1201] = 1.0F;
  weights[2990] = 4.0F;
  EXPECT_EQ(draw_index(weights, 0.0), 5);
  EXPECT_EQ(draw_index(weights, 0.124), 5);
  EXPECT_EQ(draw_index(weights, 0.126), 1200);
  EXPECT_EQ(draw_index(weights, 0.374), 1200);
  EXPECT_EQ(draw_index(weights, 0.376), 1201);
  EXPECT_EQ(draw_index(weights, 0.501), 2990);
  EXPECT_EQ(draw_index(weights, std::nextafter(1.0, 0.0)), 2990);
}

TEST(Kernels, DotEqualsItsDefinition) {
  for (int64_t size : {1, 15, 16, 33, 300}) {
    auto a = random_numbers(size, 1);
    auto b = random_numbers(size, 2);
    double sum = 0.0;
    for (size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
    EXPECT_NEAR(dot(a, b), sum, 1e-4);
  }
}

/// Kingma and Ba (2015), algorithm 1, in double.
TEST(Kernels, AdamIsItsDefinition) {
  constexpr double kRate = 0.01;
  constexpr double kScale = 0.5;
  const AdamStep defaults;
  auto own = random_numbers(100, 1);
  std::vector<float> first(100, 0.0F);
  std::vector<float> second(100, 0.0F);
  std::vector<double> theta(own.begin(), own.end());
  std::vector<double> m(100, 0.0);
  std::vector<double> v(100, 0.0);
  for (int64_t step = 1; step <= 20; ++step) {
    auto gradient = random_numbers(100, 100 + static_cast<uint64_t>(step));
    auto t = static_cast<double>(step);
    for (size_t i = 0; i < theta.size(); ++i) {
      double g = kScale * gradient[i];
      m[i] = 0.9 * m[i] + 0.1 * g;
      v[i] = 0.999 * v[i] + 0.001 * g * g;
      double mean = m[i] / (1.0 - std::pow(0.9, t));
      double variance = v[i] / (1.0 - std::pow(0.999, t));
      theta[i] -= kRate * mean / (std::sqrt(variance) + defaults.epsilon);
    }
    adam_update({.learning_rate = kRate, .step = step, .gradient_scale = kScale}, own, gradient,
                first, second);
    for (float left : gradient) EXPECT_EQ(left, 0.0F);
  }
  for (size_t i = 0; i < theta.size(); ++i) EXPECT_NEAR(own[i], theta[i], 1e-5);
}

TEST(Kernels, DropoutKeepsItsShareAndRepeatsItsMask) {
  std::vector<float> ones(200'000, 1.0F);
  std::vector<float> first(ones.size());
  std::vector<float> again(ones.size());
  std::vector<float> other(ones.size());
  std::vector<uint64_t> rows(200);
  std::iota(rows.begin(), rows.end(), 5);
  dropout(ones, first, 0.7, 42, rows);
  dropout(ones, again, 0.7, 42, rows);
  dropout(ones, other, 0.7, 43, rows);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
  // A row has its own mask, whatever rows are beside it.
  std::vector<uint64_t> some = {rows[170], rows[3]};
  std::vector<float> two(2000);
  dropout(std::span<const float>(ones).first(2000), two, 0.7, 42, some);
  EXPECT_TRUE(std::equal(two.begin(), two.begin() + 1000, first.begin() + 170'000));
  EXPECT_TRUE(std::equal(two.begin() + 1000, two.end(), first.begin() + 3000));
  EXPECT_FALSE(std::equal(two.begin(), two.begin() + 1000, two.begin() + 1000));
  double kept = 0.0;
  for (float x : first) {
    EXPECT_TRUE(x == 0.0F || std::abs(x - 1.0F / 0.7F) < 1e-6F);
    kept += x > 0.0F ? 1.0 : 0.0;
  }
  EXPECT_NEAR(kept / 200'000.0, 0.7, 0.005);
}

/// All instruction sets that this CPU has give the same numbers, to rounding.
TEST(Kernels, InstructionSetsAgree) {
  std::vector<const KernelTable*> tables = {&kBaseKernels};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    tables.push_back(&kAvx2Kernels);
  }
  if (std::string(kernel_name()) == "avx512") tables.push_back(&kAvx512Kernels);
  int64_t hidden = 21;
  auto gates = random_numbers(4 * hidden, 1);
  auto before = random_numbers(hidden, 2);
  auto d_output = random_numbers(hidden, 3);
  std::vector<std::vector<float>> results;
  for (const KernelTable* table : tables) {
    auto own_gates = gates;
    std::vector<float> cell(static_cast<size_t>(hidden));
    std::vector<float> output(static_cast<size_t>(hidden));
    std::vector<float> d_cell(static_cast<size_t>(hidden), 0.1F);
    table->lstm_forward({.rows = 1,
                         .hidden = hidden,
                         .gates = own_gates.data(),
                         .cell_before = before.data(),
                         .cell = cell.data(),
                         .output = output.data()},
                        0);
    table->lstm_backward({.rows = 1,
                          .hidden = hidden,
                          .gates = own_gates.data(),
                          .cell_before = before.data(),
                          .cell = cell.data(),
                          .d_output = d_output.data(),
                          .d_cell = d_cell.data()},
                         0);
    std::vector<float> all = output;
    all.insert(all.end(), own_gates.begin(), own_gates.end());
    all.insert(all.end(), d_cell.begin(), d_cell.end());
    auto row = random_numbers(100, 9, 5.0);
    table->exponentiate(row.data(), 100, 12.0F);
    auto x = random_numbers(6 * 40, 10);  // [40, 6]
    auto panel = random_numbers(40 * PackedMatrix::kPanel, 11);
    std::vector<float> y(6 * 29, 0.5F);
    table->multiply_panel(x.data(), 6, 40, panel.data(), 29, y.data(), 29);
    for (float& number : y) number *= 0.1F;
    all.insert(all.end(), y.begin(), y.end());
    all.insert(all.end(), row.begin(), row.end());
    results.push_back(all);
  }
  for (const auto& result : results) {
    for (size_t i = 0; i < result.size(); ++i) EXPECT_NEAR(result[i], results[0][i], 2e-6);
  }
}

}  // namespace
}  // namespace bough
