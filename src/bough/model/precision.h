// The numbers that a model computes with.
#pragma once

#include "bough/base/options.h"

namespace bough {

enum class Precision { kFloat, kInt8 };
template <>
struct EnumNames<Precision> {
  static constexpr auto kNames = std::to_array<EnumName<Precision>>(
      {{Precision::kFloat, "float"}, {Precision::kInt8, "int8"}});
};

}  // namespace bough
