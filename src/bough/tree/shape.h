// How the shape of a tree is told.
//
//     end     every word opens a slot on both sides, and <end> closes one: N words in 2N + 1 steps
//     arity   with each word it is said on which sides of it, within its slot, there is something
//             at all; the others never become slots: N words in N steps. <end> is an action of the
//             empty sentence alone
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bough/base/enum_names.h"

namespace bough {

enum class Shape { kEnd, kArity };
template <>
struct EnumNames<Shape> {
  static constexpr auto kNames =
      std::to_array<EnumName<Shape>>({{Shape::kEnd, "end"}, {Shape::kArity, "arity"}});
};

/// How many steps a sentence takes.
constexpr int64_t steps_of(Shape shape, int64_t words) {
  return shape == Shape::kArity && words > 0 ? words : 2 * words + 1;
}

/// The sides of a word that are open: that become slots.
enum class Sides : uint8_t { kNone, kLeft, kRight, kBoth };
constexpr std::array kAllSides = {Sides::kNone, Sides::kLeft, Sides::kRight, Sides::kBoth};
/// Which of them a word may have.
using AllowedSides = std::array<bool, kAllSides.size()>;

constexpr Sides sides_of(bool left, bool right) {
  return static_cast<Sides>((left ? 1 : 0) + (right ? 2 : 0));
}
constexpr size_t index_of(Sides sides) {
  return static_cast<size_t>(sides);
}
constexpr bool opens_left(Sides sides) {
  return (index_of(sides) & 1) != 0;
}
constexpr bool opens_right(Sides sides) {
  return (index_of(sides) & 2) != 0;
}
constexpr int count_of(Sides sides) {
  return (opens_left(sides) ? 1 : 0) + (opens_right(sides) ? 1 : 0);
}

}  // namespace bough
