#include "server/fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "bough/base/options_json.h"
#include "bough/base/utf8.h"

namespace bough::server {

namespace {

/// Objects and lists within each other; a tree as a template is the deepest that is asked for.
constexpr int kDeepest = 1000;

Option* find_field(OptionSet& set, const std::string& name) {
  for (Option& option : set.options()) {
    bool by_letter = name.size() == 1 && option.short_name == name[0];
    if (!option.of_program && (by_letter || field_name(option) == name)) return &option;
  }
  return nullptr;
}

bool has_type(const Option& option, const Json& value) {
  switch (option.kind) {
    case Option::Kind::kFlag:
      return value.is_boolean();
    case Option::Kind::kInteger:
      return value.is_number_integer();
    case Option::Kind::kNumber:
      return value.is_number();
    case Option::Kind::kText:
    case Option::Kind::kChoice:
      return value.is_string();
    case Option::Kind::kList:
      return value.is_array() &&
             std::ranges::all_of(value, [](const Json& item) { return item.is_string(); });
  }
  return false;
}

std::string shown(const Json& value) {
  return for_message(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

[[noreturn]] void refuse_unknown(OptionSet& set, const std::string& name,
                                 std::span<const std::string_view> others) {
  std::vector<std::string> names(others.begin(), others.end());
  for (const Option& option : set.options()) {
    if (!option.of_program) names.push_back(field_name(option));
  }
  std::string near = nearest_word(name, names);
  throw HttpError(400, fmt::format("there is no field '{}'{}", for_message(name),
                                   near.empty() ? "; GET /openapi.json lists them"
                                                : fmt::format("; did you mean '{}'?", near)));
}

}  // namespace

Json parse_body(const std::string& body) {
  auto shallow = [](int depth, Json::parse_event_t /*event*/, const Json& /*parsed*/) {
    if (depth > kDeepest) throw HttpError(400, "the body is nested too deeply");
    return true;
  };
  Json parsed;
  try {
    parsed = Json::parse(body, shallow);
  } catch (const Json::exception& error) {
    std::string why = error.what();
    why.erase(0, why.find("] ") + 2);  // the library's own number for it
    throw HttpError(
        400, body.empty() ? "the body is empty: send a JSON object"
                          : fmt::format("the body is not valid JSON ({})", for_message(why, 160)));
  }
  if (!parsed.is_object()) throw HttpError(400, "the body has to be a JSON object");
  return parsed;
}

void set_fields(OptionSet& set, const Json& body, std::span<const std::string_view> others) {
  for (const auto& [name, value] : body.items()) {
    if (std::ranges::find(others, name) != others.end() || value.is_null()) continue;
    Option* option = find_field(set, name);
    if (option == nullptr) refuse_unknown(set, name, others);
    if (!has_type(*option, value)) {
      throw HttpError(
          400, fmt::format("'{}' takes {}{}, not {}", name, option->clear_list ? "a list of " : "",
                           option->allowed, shown(value)));
    }
    if (option->clear_list) option->clear_list();
    std::string where = fmt::format("'{}'", name);
    for (const Json& item : value.is_array() ? value : Json::array({value})) {
      set.set(option->name, item.is_string() ? item.get<std::string>() : item.dump(), where);
    }
  }
}

std::string text_field(const Json& body, const std::string& name, const std::string& otherwise) {
  auto found = body.find(name);
  if (found == body.end() || found->is_null()) return otherwise;
  if (!found->is_string()) {
    throw HttpError(400, fmt::format("'{}' takes a text, not {}", name, shown(*found)));
  }
  return found->get<std::string>();
}

bool flag_field(const Json& body, const std::string& name) {
  auto found = body.find(name);
  if (found == body.end() || found->is_null()) return false;
  if (!found->is_boolean()) {
    throw HttpError(400, fmt::format("'{}' takes true or false, not {}", name, shown(*found)));
  }
  return found->get<bool>();
}

std::string field_name(const Option& option) {
  if (option.name == "count") return "n";
  std::string name = option.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

Json field_schema(const Option& option) {
  Json schema;
  switch (option.kind) {
    case Option::Kind::kFlag:
      schema["type"] = "boolean";
      break;
    case Option::Kind::kInteger:
      schema["type"] = "integer";
      break;
    case Option::Kind::kNumber:
      schema["type"] = "number";
      break;
    case Option::Kind::kText:
      schema["type"] = "string";
      break;
    case Option::Kind::kChoice: {
      schema["type"] = "string";
      for (size_t from = 0, to = 0; to != std::string::npos; from = to + 1) {
        to = option.allowed.find('|', from);
        schema["enum"].push_back(option.allowed.substr(from, to - from));
      }
      break;
    }
    case Option::Kind::kList:
      schema = {{"type", "array"}, {"items", {{"type", "string"}}}};
      break;
  }
  schema["description"] = option.help;
  schema["default"] = json_of(option.initial);
  if (option.low) schema["minimum"] = *option.low;
  if (option.high && *option.high < 9e15) schema["maximum"] = *option.high;
  return schema;
}

}  // namespace bough::server
