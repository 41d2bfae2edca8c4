#include "options_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <toml.hpp>

#include "bough/base/error.h"
#include "bough/base/utf8.h"

namespace bough::cli {

namespace {

std::string environment_name(const std::string& option) {
  std::string name = "BOUGH_" + option;
  for (char& letter : name) {
    letter = letter == '-' ? '_' : static_cast<char>(std::toupper(letter));
  }
  return name;
}

/// `-n`: the option with that short name.
Option* find_short(OptionSet& set, char letter) {
  for (Option& option : set.options()) {
    if (option.short_name == letter) return &option;
  }
  return nullptr;
}

class CommandLine {
 public:
  CommandLine(OptionSet& set, std::span<const std::string> words) : set_(set), words_(words) {}

  /// Calls take(option name, value, how it was written) for each option.
  template <typename Take>
  std::vector<std::string> read(Take take) {
    std::vector<std::string> plain;
    while (at_ < words_.size()) {
      const std::string& word = words_[at_++];
      if (word == "--") {
        plain.insert(plain.end(), words_.begin() + static_cast<int64_t>(at_), words_.end());
        break;
      }
      if (word.size() < 2 || word[0] != '-') {
        plain.push_back(word);
      } else if (word[1] == '-') {
        size_t equals = word.find('=');
        std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
        Option* option = set_.find(name);
        if (option == nullptr) unknown(word.substr(0, equals), set_.nearest(name));
        take(name, value_of(*option, word.substr(0, equals), equals, word), "--" + name);
        take_names(*option, take);
      } else {
        Option* option = find_short(set_, word[1]);
        if (option == nullptr) unknown(word.substr(0, 2), "");
        take(option->name, value_of(*option, word.substr(0, 2), word.size() > 2 ? 1 : npos, word),
             word.substr(0, 2));
        take_names(*option, take);
      }
    }
    return plain;
  }

 private:
  static constexpr size_t npos = std::string::npos;

  /// Further names of a list of choices: `-m bleu chrf`.
  template <typename Take>
  void take_names(const Option& option, Take take) {
    auto is_name = [&](const std::string& word) {
      return std::find(option.names.begin(), option.names.end(), word) != option.names.end();
    };
    while (at_ < words_.size() && is_name(words_[at_])) {
      take(option.name, words_[at_++], "--" + option.name);
    }
  }

  [[noreturn]] static void unknown(const std::string& written, const std::string& near) {
    throw UsageError(
        "there is no option {}{}", written,
        near.empty() ? "; --help lists them" : fmt::format("; did you mean --{}?", near));
  }

  /// The value behind `=` (or behind the letter of a short option), or the next word.
  std::string value_of(const Option& option, const std::string& written, size_t split,
                       const std::string& word) {
    if (split != npos) return word.substr(split + 1);
    if (option.kind == Option::Kind::kFlag) return "true";
    if (at_ == words_.size()) throw UsageError("{} needs a value: {}", written, option.allowed);
    return words_[at_++];
  }

  OptionSet& set_;
  std::span<const std::string> words_;
  size_t at_ = 0;
};

/// A configuration file: keys at the top for whatever verb, then tables named after verbs
/// (`[train]`, `[data.stats]`), which beat the top.
class ConfigFile {
 public:
  ConfigFile(OptionSet& set, std::string file, std::string_view verb,
             std::span<const std::string> verbs)
      : set_(set), file_(std::move(file)), verb_(verb), verbs_(verbs) {}

  void apply() {
    if (!std::filesystem::is_regular_file(file_)) throw DataError("cannot read '{}'", file_);
    try {
      apply_table(toml::parse(file_).as_table(), "");
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {  // toml11 throws its own and std's
      throw UsageError("'{}' is not valid TOML: {}", file_, error.what());
    }
  }

 private:
  void apply_table(const toml::table& table, const std::string& name) {
    // [eval] is about `bough eval`, not about `bough eval samples`.
    bool other_verb =
        name != verb_ && std::find(verbs_.begin(), verbs_.end(), name) != verbs_.end();
    for (const auto& [key, value] : table) {
      if (!value.is_table() && !other_verb) apply_value(key, value);
    }
    for (const auto& [key, value] : table) {
      if (!value.is_table()) continue;
      std::string inner = name.empty() ? key : fmt::format("{} {}", name, key);
      if (inner == verb_ || verb_.starts_with(inner + " ")) {
        apply_table(value.as_table(), inner);
      } else {
        check_name(inner, value);
      }
    }
  }

  /// A table of another verb is passed over, one of no verb is an error.
  void check_name(const std::string& name, const toml::value& value) const {
    for (const std::string& verb : verbs_) {
      if (verb == name || verb.starts_with(name + " ")) return;
    }
    std::string near = nearest_word(name, verbs_);
    throw UsageError("{}: there is no verb '{}'{}", place(value, name), name,
                     near.empty() ? "" : fmt::format("; did you mean [{}]?", near));
  }

  void apply_value(const std::string& key, const toml::value& value) {
    std::string where = place(value, key);
    Option* option = set_.find(key);
    if (option == nullptr) {
      set_.set(key, "", where);  // says what the nearest right name is
    } else if (option->kind == Option::Kind::kList && value.is_array()) {
      for (const auto& item : value.as_array()) set_.set(key, text_of(*option, item, where), where);
    } else {
      set_.set(key, text_of(*option, value, where), where);
    }
  }

  /// A value as an option's text, if it is of the option's kind.
  static std::string text_of(const Option& option, const toml::value& value,
                             const std::string& where) {
    using Kind = Option::Kind;
    if (option.kind == Kind::kFlag && value.is_boolean()) {
      return value.as_boolean() ? "true" : "false";
    }
    bool number = option.kind == Kind::kInteger || option.kind == Kind::kNumber;
    if (number && value.is_integer()) return std::to_string(value.as_integer());
    if (option.kind == Kind::kNumber && value.is_floating()) {
      return fmt::format("{}", value.as_floating());
    }
    bool text =
        option.kind == Kind::kText || option.kind == Kind::kChoice || option.kind == Kind::kList;
    if (text && value.is_string()) return value.as_string().str;
    if (option.kind == Kind::kList && value.is_integer()) return std::to_string(value.as_integer());
    throw UsageError("{} takes {}, not {}", where, text ? "a text in quotes" : option.allowed,
                     toml::format(value));
  }

  std::string place(const toml::value& value, const std::string& key) const {
    return fmt::format("'{}', line {}: {}", file_, value.location().line(), key);
  }

  OptionSet& set_;
  std::string file_;
  std::string verb_;
  std::span<const std::string> verbs_;
};

}  // namespace

std::vector<std::string> read_options(OptionSet& set, std::string_view verb,
                                      std::span<const std::string> verbs,
                                      std::span<const std::string> arguments) {
  // The command line is read twice: first for -c, last so that it beats everything else.
  std::string file;
  if (const char* value = std::getenv("BOUGH_CONFIG")) file = value;
  CommandLine(set, arguments).read([&](const std::string& name, const std::string& value, auto) {
    if (name == "config") file = value;
  });
  if (!file.empty()) ConfigFile(set, file, verb, verbs).apply();
  for (Option& option : set.options()) {
    std::string name = environment_name(option.name);
    if (const char* value = std::getenv(name.c_str())) set.set(option.name, value, name);
  }
  std::vector<std::string> given_lists;
  return CommandLine(set, arguments)
      .read([&](const std::string& name, const std::string& value, const std::string& written) {
        Option* option = set.find(name);
        // A list on the command line replaces what the file or the environment gave.
        if (option->clear_list &&
            std::find(given_lists.begin(), given_lists.end(), name) == given_lists.end()) {
          option->clear_list();
          given_lists.push_back(name);
        }
        set.set(name, value, written);
      });
}

}  // namespace bough::cli
