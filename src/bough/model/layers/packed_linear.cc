#include "bough/model/layers/packed_linear.h"

#include <cmath>

#include "bough/model/kernels/dispatch.h"
#include "bough/model/layers/functions.h"
#include "bough/model/team.h"

namespace bough {

namespace {

using torch::Tensor;
using torch::autograd::variable_list;

class PackedLinearBackward : public torch::autograd::Node {
 public:
  /// `rectified` is the output where it went through ReLU, else undefined.
  PackedLinearBackward(const LinearLayer& layer, const Tensor& input, Tensor rectified)
      : Node(torch::autograd::collect_next_edges(input)),
        weight_(layer.weight),
        bias_(layer.bias),
        input_(input.detach()),
        rectified_(std::move(rectified)) {}

  variable_list apply(variable_list&& gradients) override {
    torch::NoGradGuard no_gradients;
    Tensor d_output = gradients[0].contiguous();
    if (rectified_.defined()) d_output = torch::threshold_backward(d_output, rectified_, 0);
    multiply_into(gradient_of(weight_), d_output.t(), input_, 1.0F);
    if (bias_.defined()) gradient_of(bias_).add_(d_output.sum(0));
    Tensor d_input = torch::empty_like(input_);
    multiply_into(d_input, d_output, weight_);
    release_variables();
    return {d_input};
  }

  void release_variables() override {
    input_ = Tensor();
    rectified_ = Tensor();
  }

 private:
  Tensor weight_;
  Tensor bias_;
  Tensor input_;
  Tensor rectified_;
};

/// Adds the bias to every row, and rectifies.
void finish(const Tensor& output, const Tensor& bias, Activation activation) {
  float least = activation == Activation::kRelu ? 0.0F : -INFINITY;
  int64_t width = output.size(1);
  const float* add = bias.data_ptr<float>();
  float* numbers = change_numbers(output).data();
  team_for(output.size(0), output.numel() > kWorthAThread, Share::kEven, [=](int64_t row) {
    float* own = numbers + row * width;
#pragma omp simd
    for (int64_t j = 0; j < width; ++j) {
      float sum = own[j] + add[j];
      own[j] = sum < least ? least : sum;
    }
  });
}

}  // namespace

Tensor packed_linear(const LinearLayer& layer, const Tensor& input, Activation activation) {
  bool rectifies = activation == Activation::kRelu;
  bool matrix = layer.weight.size(0) > 1 && layer.weight.size(1) > 1;  // to multiply_into
  TORCH_CHECK(layer.bias.defined() || !rectifies, "a rectified layer has a bias");
  if (!uses_kernels(input) || !matrix) return rectifies ? torch::relu(layer(input)) : layer(input);
  Tensor contiguous = input.contiguous();
  Tensor output = torch::empty({input.size(0), layer.weight.size(0)});
  {
    torch::NoGradGuard no_gradients;
    multiply_into(output, contiguous, layer.weight.t());
    if (layer.bias.defined()) finish(output, layer.bias, activation);
  }
  if (torch::GradMode::is_enabled() && input.requires_grad()) {
    Tensor rectified = rectifies ? output.detach() : Tensor();
    auto node = std::make_shared<PackedLinearBackward>(layer, contiguous, std::move(rectified));
    torch::autograd::create_gradient_edge(output, node);
  }
  return output;
}

}  // namespace bough
