// The names of an enum's values, for options, files and messages.
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace bough {

/// Names of an enum's values, specialised beside each enum:
/// `template <> struct EnumNames<Shape> { static constexpr auto kNames =
/// std::to_array<EnumName<Shape>>({{Shape::kRound, "round"}, …}); };`
template <typename Enum>
struct EnumNames;
template <typename Enum>
using EnumName = std::pair<Enum, std::string_view>;

template <typename Enum>
constexpr std::string_view name_of(Enum value) {
  for (const auto& [candidate, name] : EnumNames<Enum>::kNames) {
    if (candidate == value) return name;
  }
  return "?";
}

}  // namespace bough
