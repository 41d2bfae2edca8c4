// What a model is for.
#pragma once

#include "bough/base/options.h"

namespace bough {

enum class Task { kLm, kReorder, kTranslate };
template <>
struct EnumNames<Task> {
  static constexpr auto kNames = std::to_array<EnumName<Task>>(
      {{Task::kLm, "lm"}, {Task::kReorder, "reorder"}, {Task::kTranslate, "translate"}});
};

}  // namespace bough
