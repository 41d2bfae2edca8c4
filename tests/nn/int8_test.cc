// int8 products and what they change.
#include <gtest/gtest.h>

#include <cmath>

#include "bough/bench/precision_loss.h"
#include "bough/generate/decoder.h"
#include "bough/model/kernels/byte_weights.h"
#include "bough/model/kernels/int8_matrix.h"
#include "bough/model/layers/functions.h"
#include "test_models.h"

namespace bough {
namespace {

/// The error of a product is that of rounding its factors: bounded by half a unit of each, summed
/// up over the depth.
TEST(Int8Matrix, IsTheFloatProductToItsRounding) {
  for (int64_t rows : {1, 3, 5, 33, 70}) {
    for (int64_t columns : {1, 19, 64, 100}) {
      int64_t depth = 37;
      torch::Tensor x = torch::randn({rows, depth});
      if (rows == 3) x = torch::relu(x);
      torch::Tensor weight = torch::randn({columns, depth});
      torch::Tensor bias = torch::randn({columns});
      torch::Tensor y = torch::empty({rows, columns});
      Int8Matrix matrix(weight.data_ptr<float>(), columns, depth);
      matrix.multiply(x.data_ptr<float>(), rows, bias.data_ptr<float>(), y.data_ptr<float>());
      torch::Tensor exact = torch::addmm(bias, x, weight.t());
      float weight_unit = weight.abs().max().item<float>() / 63.0F;
      torch::Tensor x_unit = (x.amax(1).clamp_min(0) - x.amin(1).clamp_max(0)) / 255.0F;
      torch::Tensor bound =
          0.5 * (weight_unit * x.abs().sum(1) + x_unit * weight.abs().sum(1).max() +
                 x_unit * weight_unit * static_cast<double>(depth));
      EXPECT_TRUE(((y - exact).abs() <= bound.unsqueeze(1) + 1e-4).all().item<bool>());
      EXPECT_GT((y - exact).abs().sum().item<float>(), 0.0F);  // it isn't float in disguise
      torch::Tensor twice = y.clone();
      matrix.add_product(x.data_ptr<float>(), rows, twice.data_ptr<float>());
      EXPECT_TRUE(torch::allclose(twice, 2.0 * y - bias, 1e-4, 1e-4));
    }
  }
}

/// So that a model that was kept in bytes is computed with in these very bytes. With a scale of 24
/// bits one row in some hundred would come back with another one.
TEST(ByteWeights, QuantisedAgainAreTheSame) {
  torch::Tensor rows = torch::randn({5000, 9}) * torch::exp(3.0 * torch::randn({5000, 1}));
  rows[0].fill_(0.0F);
  rows[1].fill_(-1e-40F);
  rows[2].fill_(3e38F);
  rows[3][0] = 1e30F;
  for (int largest : {kLargestKeptByte, 63}) {
    for (int64_t i = 0; i < rows.size(0); ++i) {
      std::span<const float> row = numbers_of(rows[i]);
      float scale = weight_scale(row, largest);
      std::vector<float> again;
      int most = 0;
      for (float weight : row) {
        int8_t byte = weight_to_byte(weight, scale);
        most = std::max(most, std::abs(byte));
        again.push_back(scale * static_cast<float>(byte));
        EXPECT_NEAR(again.back(), weight, 0.51 * scale);
        EXPECT_EQ(weight_to_byte(again.back(), scale), byte);
      }
      EXPECT_EQ(most, i < 2 ? 0 : largest);
      EXPECT_EQ(weight_scale(again, largest), scale);
    }
  }
}

/// Whole numbers within reach of the bytes have no rounding at all, so that every kernel that this
/// machine has must give their exact sums: also where all weights are as large as they may be, and
/// all of a row too.
TEST(Int8Matrix, SumsOfEveryKernelAreExact) {
  for (const ByteKernel* kernel : byte_kernels()) {
    SCOPED_TRACE(kernel->name);
    int64_t most = kernel->largest_weight;
    for (int64_t depth : {1, 4, 63, 250}) {
      for (int64_t columns : {1, 31, 32, 77}) {
        for (int64_t rows : {1, 2, 3, 4, 7, 13, 30}) {
          torch::Tensor x = torch::randint(0, 256, {rows, depth}).to(torch::kFloat);
          x.select(1, depth - 1).fill_(255.0F);  // the scale is one
          x[0].fill_(255.0F);
          torch::Tensor weight =
              torch::randint(-most, most + 1, {columns, depth}).to(torch::kFloat);
          weight.select(1, 0).fill_(static_cast<float>(most));
          weight[0].fill_(static_cast<float>(most));
          weight[columns - 1].fill_(static_cast<float>(-most));
          torch::Tensor y = torch::zeros({rows, columns});
          Int8Matrix matrix(weight.data_ptr<float>(), columns, depth, *kernel);
          matrix.add_product(x.data_ptr<float>(), rows, y.data_ptr<float>());
          EXPECT_TRUE(torch::equal(y, torch::mm(x, weight.t())));
        }
      }
    }
  }
}

TEST(Int8Matrix, RowsOfZerosAndColumnsOfZerosAreExact) {
  torch::Tensor x = torch::zeros({2, 8});
  torch::Tensor weight = torch::zeros({3, 8});
  torch::Tensor bias = torch::tensor({1.0F, 2.0F, 3.0F});
  torch::Tensor y = torch::empty({2, 3});
  Int8Matrix matrix(weight.data_ptr<float>(), 3, 8);
  matrix.multiply(x.data_ptr<float>(), 2, bias.data_ptr<float>(), y.data_ptr<float>());
  EXPECT_TRUE(torch::equal(y, bias.expand({2, 3})));
}

TEST(Int8Matrix, ARowIsTheSameInAnyCompany) {
  int64_t rows = 41;
  int64_t depth = 50;
  int64_t columns = 77;
  torch::Tensor x = torch::randn({rows, depth});
  torch::Tensor weight = torch::randn({columns, depth});
  torch::Tensor bias = torch::randn({columns});
  torch::Tensor together = torch::empty({rows, columns});
  torch::Tensor alone = torch::empty({1, columns});
  Int8Matrix matrix(weight.data_ptr<float>(), columns, depth);
  matrix.multiply(x.data_ptr<float>(), rows, bias.data_ptr<float>(), together.data_ptr<float>());
  for (int64_t r = 0; r < rows; ++r) {
    torch::Tensor own = x[r].contiguous();
    matrix.multiply(own.data_ptr<float>(), 1, bias.data_ptr<float>(), alone.data_ptr<float>());
    EXPECT_TRUE(torch::equal(alone[0], together[r]));
  }
}

/// Sentences of a random policy score nearly the same, and going back to float goes back exactly.
TEST(Int8, ScoresStayNearFloats) {
  PolicyOptions options = small_options();
  options.hidden_size = 64;
  options.embedding_size = 32;
  LstmPolicy policy({.options = options, .vocabulary = 200, .seed = 3, .embedding_scale = 0.5});
  change_numbers(policy.output().bias)[kEnd] = 4.0F;
  torch::NoGradGuard no_gradients;
  std::vector<Tree> trees;
  Decoder({}, {.max_length = 30})
      .decode(*policy.stepper(), {.count = 100},
              [&](DecodedTree&& tree) { trees.push_back(std::move(tree.tree)); });
  std::vector<float> before(200);
  std::vector<float> after(200);
  std::unique_ptr<Stepper> stepper = policy.stepper();
  stepper->start(no_sources(1));
  stepper->all_scores(before);
  PrecisionLoss loss = compare_precision(policy, trees);
  EXPECT_GT(loss.per_step, 0.0);
  EXPECT_LT(loss.per_step, 0.02);
  EXPECT_LT(loss.per_sentence, 0.15);
  EXPECT_GT(loss.same_best, 0.95);
  stepper->start(no_sources(1));
  stepper->all_scores(after);
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace bough
