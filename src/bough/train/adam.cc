#include "bough/train/adam.h"

#include <algorithm>
#include <cmath>

#include "bough/model/kernels/arrays.h"
#include "bough/model/layers/functions.h"

namespace bough {

namespace {

double plain_sum_of_squares(const torch::Tensor& tensor) {
  return tensor.square().sum(torch::kFloat64).item<double>();
}

/// What the kernel adam_update does.
void plain_update(const AdamStep& step, const torch::Tensor& parameter,
                  const torch::Tensor& first_moment, const torch::Tensor& second_moment) {
  torch::NoGradGuard no_gradients;
  auto power = static_cast<double>(step.step);
  double first_correction = 1.0 - std::pow(step.beta1, power);
  double second_correction = 1.0 - std::pow(step.beta2, power);
  torch::Tensor gradient = parameter.grad() * step.gradient_scale;
  first_moment.mul_(step.beta1).add_(gradient, 1.0 - step.beta1);
  second_moment.mul_(step.beta2).addcmul_(gradient, gradient, 1.0 - step.beta2);
  torch::Tensor scale = second_moment.sqrt().div_(std::sqrt(second_correction)).add_(step.epsilon);
  parameter.addcdiv_(first_moment, scale, -step.learning_rate / first_correction);
  parameter.grad().zero_();
}

}  // namespace

Adam::Adam(NamedTensors parameters) : parameters_(std::move(parameters)) {
  for (auto& [name, tensor] : parameters_) {
    tensor.mutable_grad() = torch::zeros_like(tensor);
    first_.emplace_back("adam.first." + name, torch::zeros_like(tensor).detach());
    second_.emplace_back("adam.second." + name, torch::zeros_like(tensor).detach());
  }
}

double Adam::update(double learning_rate, double clip) {
  double squares = 0.0;
  for (const auto& [name, tensor] : parameters_) {
    squares += uses_kernels(tensor) ? sum_of_squares(numbers_of(tensor.grad()))
                                    : plain_sum_of_squares(tensor.grad());
  }
  double norm = std::sqrt(squares);
  if (!std::isfinite(norm)) return norm;
  ++steps_;
  AdamStep step{.learning_rate = learning_rate, .step = steps_};
  if (clip > 0.0 && norm > clip) step.gradient_scale = clip / norm;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const torch::Tensor& tensor = parameters_[i].second;
    if (!uses_kernels(tensor)) {
      plain_update(step, tensor, first_[i].second, second_[i].second);
      continue;
    }
    adam_update(step, change_numbers(tensor), change_numbers(tensor.grad()),
                change_numbers(first_[i].second), change_numbers(second_[i].second));
  }
  return norm;
}

NamedTensors Adam::state() const {
  NamedTensors all = first_;
  all.insert(all.end(), second_.begin(), second_.end());
  return all;
}

}  // namespace bough
