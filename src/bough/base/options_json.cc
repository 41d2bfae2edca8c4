#include "bough/base/options_json.h"

#include <algorithm>

#include "bough/base/error.h"

namespace bough {

namespace {

/// `value` as an option's text: what `Option::set` would read back.
std::string as_text(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

nlohmann::ordered_json json_of(const OptionValue& value) {
  return std::visit([](const auto& held) { return nlohmann::ordered_json(held); }, value);
}

nlohmann::ordered_json json_of(const OptionSet& set) {
  auto values = nlohmann::ordered_json::object();
  for (const Option& option : set.options()) values[option.name] = json_of(option.get());
  return values;
}

void set_from_json(OptionSet& set, const nlohmann::json& values, std::string_view where) {
  if (!values.is_object()) throw DataError("{}: expected a JSON object", where);
  for (const auto& [name, value] : values.items()) {
    Option* option = set.find(name);
    bool list = option != nullptr && option->clear_list;
    auto items = list ? value : nlohmann::json::array({value});
    bool plain = items.is_array() && std::all_of(items.begin(), items.end(), [](const auto& item) {
                   return item.is_string() || item.is_number() || item.is_boolean();
                 });
    if (option != nullptr && !plain) {
      throw DataError("{}: '{}' takes {}{}, not {}", where, name, list ? "a list of " : "",
                      option->allowed, value.dump());
    }
    try {
      if (list) option->clear_list();
      for (const auto& item : items) set.set(name, as_text(item), fmt::format("'{}'", name));
    } catch (const UsageError& error) {
      throw DataError("{}: {}", where, error.what());
    }
  }
}

}  // namespace bough
