#include "bough/train/weight_average.h"

#include <algorithm>
#include <utility>

#include "bough/model/layers/functions.h"

namespace bough {

WeightAverage::WeightAverage(NamedTensors weights, double decay)
    : weights_(std::move(weights)), decay_(decay) {
  for (const auto& [name, tensor] : weights_) {
    average_.emplace_back("average." + name, tensor.detach().clone());
  }
}

void WeightAverage::add(int64_t update) {
  torch::NoGradGuard no_gradients;
  auto t = static_cast<double>(update);
  double decay = std::min(decay_, (1.0 + t) / (10.0 + t));
  for (size_t i = 0; i < weights_.size(); ++i) {
    average_[i].second.lerp_(weights_[i].second.detach(), 1.0 - decay);
  }
}

void WeightAverage::swap() {
  torch::NoGradGuard no_gradients;
  for (size_t i = 0; i < weights_.size(); ++i) {
    torch::Tensor kept = weights_[i].second.detach().clone();
    weights_[i].second.copy_(average_[i].second);  // counts as a change, for who has packed them
    average_[i].second.copy_(kept);
  }
}

}  // namespace bough
