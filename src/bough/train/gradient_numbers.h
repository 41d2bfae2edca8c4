// What gradients are sent as, where several processes train.
#pragma once

#include "bough/base/enum_names.h"

namespace bough {

enum class GradientNumbers { kFloat, kBfloat16 };
template <>
struct EnumNames<GradientNumbers> {
  static constexpr auto kNames = std::to_array<EnumName<GradientNumbers>>(
      {{GradientNumbers::kFloat, "float"}, {GradientNumbers::kBfloat16, "bfloat16"}});
};

}  // namespace bough
