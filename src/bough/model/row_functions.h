// Small things that steppers do to rows of numbers.
#pragma once

#include <algorithm>
#include <span>

#include "bough/model/kernels/kernels.h"
#include "bough/model/policy.h"

namespace bough {

inline void rectify(std::span<float> numbers) {
  for (float& number : numbers) number = std::max(number, 0.0F);
}

/// Logits of a few actions, from one row's features.
inline void score_actions(const OutputLayer& layer, std::span<const float> features,
                          std::span<const WordId> actions, std::span<float> logits) {
  const float* weight = layer.weight.data_ptr<float>();
  const float* bias = layer.bias.data_ptr<float>();
  auto width = static_cast<int64_t>(features.size());
  for (size_t i = 0; i < actions.size(); ++i) {
    logits[i] = bias[actions[i]] + dot(features, {weight + actions[i] * width, features.size()});
  }
}

}  // namespace bough
