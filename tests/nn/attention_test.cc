// Attention over packed rows: the same as on padded ones by LibTorch, with its gradients.
#include "bough/model/layers/attention.h"

#include <gtest/gtest.h>

#include "bough/model/layers/functions.h"
#include "bough/model/layers/key_value_cache.h"
#include "test_models.h"

namespace bough {
namespace {

using torch::Tensor;

constexpr int64_t kHeads = 3;
constexpr int64_t kWidth = 15;

struct Matrices {
  Tensor query, key, value;

  Matrices(int64_t queries, int64_t keys)
      : query(torch::randn({queries, kWidth}).requires_grad_()),
        key(torch::randn({keys, kWidth}).requires_grad_()),
        value(torch::randn({keys, kWidth}).requires_grad_()) {}
};

void expect_same(const Matrices& matrices, const RowLayout& queries, const RowLayout& keys,
                 bool causal) {
  AttentionRequest request{.query = matrices.query,
                           .key = matrices.key,
                           .value = matrices.value,
                           .query_rows = queries,
                           .key_rows = keys,
                           .heads = kHeads,
                           .causal = causal};
  Tensor own = attend(request);
  Tensor plain = plain_attend(request);
  EXPECT_TRUE(torch::allclose(own, plain, 1e-5, 1e-6));
  Tensor direction = torch::randn_like(own);
  auto inputs = {matrices.query, matrices.key, matrices.value};
  auto own_gradients = torch::autograd::grad({(own * direction).sum()}, inputs);
  auto plain_gradients = torch::autograd::grad({(plain * direction).sum()}, inputs);
  for (size_t i = 0; i < own_gradients.size(); ++i) {
    EXPECT_TRUE(torch::allclose(own_gradients[i], plain_gradients[i], 1e-4, 1e-5)) << i;
  }
}

TEST(Attention, OverATrajectoryIsPaddedAttention) {
  torch::manual_seed(1);
  Dataset data = random_dataset(6, 2);
  auto oracle = make_oracle({});
  RowLayout layout(random_trajectory(data, *oracle, 3));
  expect_same(Matrices(layout.rows(), layout.rows()), layout, layout, true);
}

TEST(Attention, OverSourcesIsPaddedAttention) {
  torch::manual_seed(1);
  Dataset data = random_dataset(4, 2);
  auto oracle = make_oracle({});
  RowLayout queries(random_trajectory(data, *oracle, 3));
  std::vector<int64_t> lengths = {1, 40, 3, 7};
  RowLayout keys(lengths);
  expect_same(Matrices(queries.rows(), keys.rows()), queries, keys, false);
  expect_same(Matrices(keys.rows(), keys.rows()), keys, keys, false);
}

/// A sum over two keys by hand: one head, queries that see their past.
TEST(Attention, GoldenValues) {
  torch::manual_seed(1);
  Tensor query = torch::tensor({{0.0F}, {2.0F}});
  Tensor key = torch::tensor({{5.0F}, {5.5F}});
  Tensor value = torch::tensor({{1.0F}, {3.0F}});
  std::vector<int64_t> lengths = {2};
  RowLayout layout(lengths);
  Tensor context = attend({.query = query,
                           .key = key,
                           .value = value,
                           .query_rows = layout,
                           .key_rows = layout,
                           .causal = true});
  EXPECT_FLOAT_EQ(context[0].item<float>(), 1.0F);
  EXPECT_NEAR(context[1].item<float>(), (1.0 + 3.0 * std::exp(1.0)) / (1.0 + std::exp(1.0)), 1e-5);
}

/// What a cache gives after each append is a row of causal attention, before and after it grows.
TEST(Attention, ACacheIsCausalAttention) {
  torch::manual_seed(1);
  constexpr int64_t kSteps = 50;
  Matrices matrices(kSteps, kSteps);
  std::vector<int64_t> lengths = {kSteps};
  RowLayout layout(lengths);
  Tensor whole = plain_attend({.query = matrices.query,
                               .key = matrices.key,
                               .value = matrices.value,
                               .query_rows = layout,
                               .key_rows = layout,
                               .heads = kHeads,
                               .causal = true});
  KeyValueCache cache(kWidth);
  for (int64_t t = 0; t < kSteps; ++t) {
    cache.append(matrices.key[t].data_ptr<float>(), matrices.value[t].data_ptr<float>());
    Tensor context = torch::empty({kWidth});
    cache.attend(matrices.query[t].data_ptr<float>(), kHeads, change_numbers(context).data());
    EXPECT_TRUE(torch::allclose(context, whole[t], 1e-5, 1e-5)) << t;
  }
  EXPECT_EQ(cache.size(), kSteps);
}

}  // namespace
}  // namespace bough
