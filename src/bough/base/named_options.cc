#include "bough/base/named_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "bough/base/error.h"

namespace bough {

namespace {

std::string full_name(OptionSet& set, std::string name) {
  for (const Option& option : set.options()) {
    if (name.size() == 1 && option.short_name == name[0]) return option.name;
  }
  std::ranges::replace(name, '_', '-');
  return name;
}

struct AsTexts {
  std::vector<std::string> operator()(bool value) const { return {value ? "true" : "false"}; }
  std::vector<std::string> operator()(int64_t value) const { return {std::to_string(value)}; }
  std::vector<std::string> operator()(double value) const { return {fmt::format("{}", value)}; }
  std::vector<std::string> operator()(const std::string& value) const { return {value}; }
  std::vector<std::string> operator()(const std::vector<std::string>& value) const { return value; }
};

}  // namespace

void set_by_name(OptionSet& set, const NamedOptions& values) {
  for (const auto& [given, value] : values) {
    std::string name = full_name(set, given);
    Option* option = set.find(name);
    if (option != nullptr && option->clear_list) {
      option->clear_list();
    } else if (option != nullptr && std::holds_alternative<std::vector<std::string>>(value)) {
      throw UsageError("'{}' takes {}, not a list", given, option->allowed);
    }
    for (const std::string& text : std::visit(AsTexts(), value)) {
      set.set(name, text, fmt::format("'{}'", given));
    }
  }
}

}  // namespace bough
