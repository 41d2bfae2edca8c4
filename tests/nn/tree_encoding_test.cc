// Tree position encodings on trees made by hand.
#include "bough/model/layers/tree_encoding.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bough/model/layers/functions.h"
#include "test_models.h"

namespace bough {
namespace {

using torch::Tensor;

constexpr int64_t kWidth = 7;

TreeEncoding random_encoding(int64_t depth, double ratio) {
  return {torch::tensor(ratio, torch::kFloat32).requires_grad_(),
          torch::randn({2 * depth, kWidth}).requires_grad_()};
}

/// The encoding of a path written as steps from the root, such as "lrr", by definition.
Tensor by_hand(const TreeEncoding& encoding, const std::string& path) {
  Tensor sum = torch::zeros({kWidth});
  for (size_t d = 0; d < path.size(); ++d) {
    double weight = std::pow(encoding.ratio.item<double>(), static_cast<double>(d));
    sum = sum + weight * encoding.steps[static_cast<int64_t>(2 * d) + (path[d] == 'r' ? 1 : 0)];
  }
  return sum;
}

TreeAddress address_of(const std::string& path) {
  TreeAddress address{.depth = static_cast<int>(path.size())};
  for (char step : path) address.path = address.path << 1 | (step == 'r' ? 1 : 0);
  return address;
}

Tensor step_by_step(const TreeEncoding& encoding, const TreeAddress& address) {
  Tensor row = torch::zeros({kWidth});
  encoding.add_to(address, change_numbers(row).data());
  return row;
}

TEST(TreeEncoding, IsTheWeighedSumOfItsSteps) {
  torch::manual_seed(1);
  TreeEncoding encoding = random_encoding(5, 0.7);
  for (const std::string path : {"", "l", "r", "lr", "rl", "llrrl"}) {
    TreeAddress address = address_of(path);
    Tensor expected = by_hand(encoding, path);
    EXPECT_TRUE(torch::allclose(encoding.encode({&address, 1})[0], expected, 1e-5, 1e-6)) << path;
    EXPECT_TRUE(torch::allclose(step_by_step(encoding, address), expected, 1e-5, 1e-6)) << path;
  }
}

TEST(TreeEncoding, OfALongPathTheDeepestStepsCount) {
  torch::manual_seed(1);
  TreeEncoding encoding = random_encoding(3, 0.9);
  TreeAddress address = address_of("rrrrlrl");
  Tensor expected = by_hand(encoding, "lrl");
  EXPECT_TRUE(torch::allclose(encoding.encode({&address, 1})[0], expected, 1e-5, 1e-6));
  EXPECT_TRUE(torch::allclose(step_by_step(encoding, address), expected, 1e-5, 1e-6));
}

TEST(TreeEncoding, PathsOf64StepsCanBeTold) {
  torch::manual_seed(1);
  TreeEncoding encoding = random_encoding(64, 0.99);
  TreeAddress address = address_of("r" + std::string(62, 'l') + "r");
  TreeAddress other = address_of("l" + std::string(62, 'l') + "r");
  Tensor difference = step_by_step(encoding, address) - step_by_step(encoding, other);
  Tensor first_step = encoding.steps[1] - encoding.steps[0];
  EXPECT_TRUE(torch::allclose(difference, first_step, 1e-4, 1e-5));
}

/// `how are you ?` with `are` at the root, and `?` to its right with `you` to its left.
TEST(TreeEncoding, ARowReadsTheSlotThatWasFilledBefore) {
  torch::manual_seed(1);
  std::vector<WordId> actions = {10, 11, 12, kEnd, kEnd, 13, kEnd, kEnd, kEnd};
  Tree tree = Tree::from_actions(actions, kEnd);
  std::vector<StepInput> inputs;
  for (int step = 0; step < tree.steps(); ++step) {
    inputs.push_back(step_input(tree, step));
  }
  std::vector<std::string> stands = {"", "", "l", "r", "ll", "lr", "rl", "rr", "rll"};
  std::vector<int64_t> lengths = {9};
  std::vector<TreeAddress> read = addresses_read(inputs, RowLayout(lengths));
  ASSERT_EQ(read.size(), stands.size());
  for (size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].depth, address_of(stands[i]).depth) << i;
    EXPECT_EQ(read[i].path, address_of(stands[i]).path) << i;
  }
}

TEST(TreeEncoding, PackedRowsReadTheirOwnSentence) {
  torch::manual_seed(1);
  Dataset data = random_dataset(7, 3);
  auto oracle = make_oracle({});
  Trajectory trajectory = random_trajectory(data, *oracle, 4);
  std::vector<TreeAddress> read = addresses_read(trajectory.input, RowLayout(trajectory));
  for (size_t t = 0; t < trajectory.rows_at.size(); ++t) {
    for (int64_t s = 0; s < trajectory.rows_at[t]; ++s) {
      const TreeAddress& address = read[static_cast<size_t>(trajectory.offset_at[t] + s)];
      StepInput before;
      if (t > 0) before = trajectory.input[static_cast<size_t>(trajectory.offset_at[t - 1] + s)];
      EXPECT_EQ(address.depth, before.depth);
      EXPECT_EQ(address.path, before.path);
    }
  }
}

/// d/dp Σ p^d · step_d = Σ d · p^(d−1) · step_d.
TEST(TreeEncoding, TheRatioIsLearned) {
  torch::manual_seed(1);
  TreeEncoding encoding = random_encoding(4, 0.6);
  TreeAddress address = address_of("rlr");
  encoding.encode({&address, 1}).sum().backward();
  Tensor expected = encoding.steps[2].sum() + 2 * 0.6 * encoding.steps[5].sum();
  EXPECT_NEAR(encoding.ratio.grad().item<double>(), expected.item<double>(), 1e-4);
  EXPECT_TRUE(torch::allclose(encoding.steps.grad()[1], torch::ones({kWidth})));
  EXPECT_TRUE(torch::allclose(encoding.steps.grad()[5], torch::full({kWidth}, 0.36)));
  EXPECT_TRUE(torch::equal(encoding.steps.grad()[7], torch::zeros({kWidth})));
}

}  // namespace
}  // namespace bough
