// The numbers that a model computes with, and those that it is kept in.
#pragma once

#include "bough/base/options.h"

namespace bough {

enum class Precision { kFloat, kInt8 };
template <>
struct EnumNames<Precision> {
  static constexpr auto kNames = std::to_array<EnumName<Precision>>(
      {{Precision::kFloat, "float"}, {Precision::kInt8, "int8"}});
};

/// What a model's file holds: float where it was trained, any of them where it was exported.
enum class KeptPrecision { kFloat, kHalf, kInt8 };
template <>
struct EnumNames<KeptPrecision> {
  static constexpr auto kNames =
      std::to_array<EnumName<KeptPrecision>>({{KeptPrecision::kFloat, "float"},
                                              {KeptPrecision::kHalf, "half"},
                                              {KeptPrecision::kInt8, "int8"}});
};

}  // namespace bough
