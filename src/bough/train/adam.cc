#include "bough/train/adam.h"

#include <cmath>

#include "bough/model/functions.h"
#include "bough/model/kernels/kernels.h"

namespace bough {

double AdamOptions::rate_at(int64_t epoch) const {
  if (lr_every == 0) return learning_rate;
  return learning_rate * std::pow(lr_factor, static_cast<double>(epoch / lr_every));
}

Adam::Adam(NamedTensors parameters) : parameters_(std::move(parameters)) {
  for (auto& [name, tensor] : parameters_) {
    tensor.mutable_grad() = torch::zeros_like(tensor);
    first_.emplace_back("adam.first." + name, torch::zeros_like(tensor).detach());
    second_.emplace_back("adam.second." + name, torch::zeros_like(tensor).detach());
  }
}

double Adam::update(double learning_rate, double clip) {
  double squares = 0.0;
  for (const auto& [name, tensor] : parameters_)
    squares += sum_of_squares(numbers_of(tensor.grad()));
  double norm = std::sqrt(squares);
  if (!std::isfinite(norm)) return norm;
  ++steps_;
  AdamStep step{.learning_rate = learning_rate, .step = steps_};
  if (clip > 0.0 && norm > clip) step.gradient_scale = clip / norm;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const torch::Tensor& tensor = parameters_[i].second;
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
