#include "bough/base/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "bough/base/error.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

template <typename Number>
std::string describe(const Range<Number>& range) {
  bool low = range.low != std::numeric_limits<Number>::lowest();
  bool high = range.high != std::numeric_limits<Number>::max();
  if (low && high) return fmt::format("{} to {}", range.low, range.high);
  if (low) return fmt::format("{} or more", range.low);
  if (high) return fmt::format("at most {}", range.high);
  return std::is_integral_v<Number> ? "a whole number" : "a number";
}

template <typename Number>
Number parse_number(const std::string& text, const Range<Number>& range) {
  Number value{};
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  bool good = error == std::errc() && stop == end;
  if constexpr (!std::is_integral_v<Number>) good = good && std::isfinite(value);
  if (!good || value < range.low || value > range.high) {
    throw UsageError("takes {}, not '{}'", describe(range), text);
  }
  return value;
}

template <typename Number>
Option& bind_number(Option& option, Number& value, const Range<Number>& range) {
  option.initial = value;
  if (range.low != std::numeric_limits<Number>::lowest())
    option.low = static_cast<double>(range.low);
  if (range.high != std::numeric_limits<Number>::max()) {
    option.high = static_cast<double>(range.high);
  }
  option.set = [&value, range](const std::string& text) { value = parse_number(text, range); };
  option.get = [&value] { return OptionValue(value); };
  return option;
}

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      int substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

/// The place of `text` among `names`; UsageError that names the nearest.
size_t choice_index(const std::vector<std::string_view>& names, const std::string& text) {
  auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  std::string near = nearest_word(text, std::vector<std::string>(names.begin(), names.end()));
  throw UsageError("takes one of {}, not '{}'{}", fmt::join(names, ", "), text,
                   near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near));
}

}  // namespace

std::string nearest_word(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  int least = 1 + static_cast<int>(std::max<size_t>(word.size(), 3)) / 2;
  for (const std::string& candidate : candidates) {
    int distance = edit_distance(word, candidate);
    // A cut-off name is as near as a typing error: `--hidden` for `--hidden-size`.
    if (word.size() >= 3 && candidate.starts_with(word)) distance = std::min(distance, 1);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

Option& OptionSet::add(std::string_view name, Option::Kind kind, std::string allowed,
                       std::string_view help) {
  Option& option = options_.emplace_back();
  option.name = name;
  option.kind = kind;
  option.allowed = std::move(allowed);
  option.help = help;
  option.group = group_;
  return option;
}

Option& OptionSet::flag(std::string_view name, bool& value, std::string_view help) {
  Option& option = add(name, Option::Kind::kFlag, "true or false", help);
  option.initial = value;
  option.set = [&value](const std::string& text) {
    if (text != "true" && text != "false") throw UsageError("takes true or false, not '{}'", text);
    value = text == "true";
  };
  option.get = [&value] { return OptionValue(value); };
  return option;
}

Option& OptionSet::integer(std::string_view name, int64_t& value, Range<int64_t> range,
                           std::string_view help) {
  return bind_number(add(name, Option::Kind::kInteger, describe(range), help), value, range);
}

Option& OptionSet::number(std::string_view name, double& value, Range<double> range,
                          std::string_view help) {
  return bind_number(add(name, Option::Kind::kNumber, describe(range), help), value, range);
}

Option& OptionSet::text(std::string_view name, std::string& value, std::string_view placeholder,
                        std::string_view help) {
  Option& option = add(name, Option::Kind::kText, std::string(placeholder), help);
  option.initial = value;
  option.set = [&value](const std::string& text) { value = text; };
  option.get = [&value] { return OptionValue(value); };
  return option;
}

Option& OptionSet::list(std::string_view name, std::vector<std::string>& value,
                        std::string_view placeholder, std::string_view help) {
  Option& option = add(name, Option::Kind::kList, std::string(placeholder), help);
  option.initial = value;
  option.set = [&value](const std::string& text) { value.push_back(text); };
  option.get = [&value] { return OptionValue(value); };
  option.clear_list = [&value] { value.clear(); };
  return option;
}

Option& OptionSet::add_choice(std::string_view name, const std::vector<std::string_view>& names,
                              std::function<void(size_t)> set, std::function<std::string()> get,
                              std::string_view help) {
  Option& option = add(name, Option::Kind::kChoice, fmt::format("{}", fmt::join(names, "|")), help);
  option.initial = get();
  option.set = [names, set = std::move(set)](const std::string& text) {
    set(choice_index(names, text));
  };
  option.get = [get = std::move(get)] { return OptionValue(get()); };
  return option;
}

Option& OptionSet::add_choices(std::string_view name, const std::vector<std::string_view>& names,
                               std::function<void(size_t)> add_one,
                               std::function<std::vector<std::string>()> get,
                               std::function<void()> clear, std::string_view help) {
  Option& option = add(name, Option::Kind::kList, fmt::format("{}", fmt::join(names, "|")), help);
  option.names.assign(names.begin(), names.end());
  option.initial = get();
  option.set = [names, add_one = std::move(add_one)](const std::string& text) {
    for (size_t begin = 0; begin <= text.size();) {
      size_t end = std::min(text.find(',', begin), text.size());
      add_one(choice_index(names, text.substr(begin, end - begin)));
      begin = end + 1;
    }
  };
  option.get = std::move(get);
  option.clear_list = std::move(clear);
  return option;
}

Option* OptionSet::find(std::string_view name) {
  for (Option& option : options_) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

void OptionSet::set(std::string_view name, const std::string& value, std::string_view where) {
  if (find_bad_utf8(value) != std::string::npos) {
    throw UsageError("{} takes text in UTF-8, not '{}'", where, for_message(value));
  }
  Option* option = find(name);
  if (option == nullptr) {
    std::string near = nearest(name);
    throw UsageError("{}: there is no option '{}'{}", where, name,
                     near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
  }
  try {
    option->set(value);
    option->was_set = true;
    option->set_by = where;
  } catch (const UsageError& error) {
    throw UsageError("{} {}", where, error.what());
  }
}

std::string OptionSet::nearest(std::string_view name) const {
  std::vector<std::string> names;
  for (const Option& option : options_) names.push_back(option.name);
  return nearest_word(name, names);
}

void OptionSet::check_required() const {
  for (const Option& option : options_) {
    if (option.required && !option.was_set) {
      throw UsageError("--{} is missing: {}", option.name, option.help);
    }
  }
}

}  // namespace bough
