// Layer normalisation and its gradients are LibTorch's.
#include "bough/model/layers/norm_layer.h"

#include <gtest/gtest.h>

#include "bough/model/layers/functions.h"

namespace bough {
namespace {

using torch::Tensor;

TEST(NormLayer, IsLibTorchsWithItsGradients) {
  torch::manual_seed(1);
  for (int64_t rows : {1, 7, 400}) {
    for (int64_t width : {2, 18, 64}) {
      NormLayer layer{torch::randn({width}).requires_grad_(),
                      torch::randn({width}).requires_grad_()};
      Tensor input = (3.0 * torch::randn({rows, width}) + 1.0).requires_grad_();
      Tensor direction = torch::randn({rows, width});
      std::vector<Tensor> leaves = {input, layer.scale, layer.shift};
      auto gradients = [&](const Tensor& output) {
        for (Tensor& leaf : leaves) leaf.mutable_grad() = torch::zeros_like(leaf);
        (output * direction).sum().backward();
        std::vector<Tensor> result;
        for (Tensor& leaf : leaves) result.push_back(leaf.grad().clone());
        return result;
      };
      Tensor own = layer(input);
      Tensor plain = torch::layer_norm(input, {width}, layer.scale, layer.shift, 1e-5);
      EXPECT_TRUE(torch::allclose(own, plain, 1e-4, 1e-4));
      std::vector<Tensor> first = gradients(own);
      std::vector<Tensor> second = gradients(plain);
      for (size_t i = 0; i < leaves.size(); ++i) {
        EXPECT_TRUE(torch::allclose(first[i], second[i], 1e-3, 1e-3)) << i;
      }
      Tensor in_place = input.detach().clone();
      float* numbers = change_numbers(in_place).data();
      layer.run(numbers, rows, numbers);
      EXPECT_TRUE(torch::allclose(in_place, plain, 1e-4, 1e-4));
    }
  }
}

}  // namespace
}  // namespace bough
