// What a model is for.
#pragma once

#include "bough/base/options.h"

namespace bough {

enum class Task { kLm, kReorder, kTranslate };
template <>
struct EnumNames<Task> {
  static constexpr std::array<std::pair<Task, std::string_view>, 3> kNames{
      {{Task::kLm, "lm"}, {Task::kReorder, "reorder"}, {Task::kTranslate, "translate"}}};
};

}  // namespace bough
