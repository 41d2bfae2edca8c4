#include "help.h"

#include <fmt/format.h>

#include <algorithm>

#include "bough/base/options_json.h"

namespace bough::cli {

namespace {

std::string default_of(const Option& option) {
  if (const auto* text = std::get_if<std::string>(&option.initial)) return *text;
  if (option.clear_list || option.kind == Option::Kind::kFlag) return "";
  return json_of(option.initial).dump();
}

std::string written_form(const Option& option) {
  std::string form = option.short_name != '\0' ? fmt::format("-{}, ", option.short_name) : "";
  form += "--" + option.name;
  if (option.kind == Option::Kind::kInteger) form += " N";
  if (option.kind == Option::Kind::kNumber) form += " X";
  if (!option.names.empty()) {
    form += " NAME…";
  } else if (option.kind == Option::Kind::kText || option.kind == Option::Kind::kList) {
    form += " " + option.allowed;
  }
  if (option.kind == Option::Kind::kChoice) form += " NAME";
  return form;
}

/// What may be given and what is assumed.
std::string value_note(const Option& option) {
  std::vector<std::string> parts;
  bool bounded = option.kind == Option::Kind::kInteger || option.kind == Option::Kind::kNumber ||
                 option.kind == Option::Kind::kChoice || !option.names.empty();
  if (bounded) parts.push_back(option.allowed);
  if (option.required) parts.emplace_back("required");
  if (!default_of(option).empty()) parts.push_back("default " + default_of(option));
  if (option.kind == Option::Kind::kList && option.names.empty())
    parts.emplace_back("may be repeated");
  return parts.empty() ? "" : fmt::format("({})", fmt::join(parts, "; "));
}

/// A verb's section of docs/options.md.
std::string reference_section(const Command& command, OptionSet& set) {
  std::string text =
      fmt::format("## bough {}\n\n{}\n\n    bough {}\n\n| option | what it does |\n|---|---|\n",
                  command.name(), command.summary(), command.usage());
  for (const Option& option : set.options()) {
    std::string note = value_note(option);
    std::string cell = option.help + (note.empty() ? "" : " " + note);
    std::string escaped;
    for (char letter : cell) {
      if (letter == '|') escaped += '\\';
      escaped += letter;
    }
    text += fmt::format("| `{}` | {} |\n", written_form(option), escaped);
  }
  return text;
}

std::string lines_of(Commands commands) {
  std::string text;
  for (const auto& command : commands) {
    text += fmt::format("  {:<18} {}\n", command->name(), command->summary());
  }
  return text;
}

}  // namespace

std::string help_text(const Command& command, OptionSet& set) {
  std::string text = fmt::format("{}\n\nusage: bough {}\n", command.summary(), command.usage());
  std::vector<std::string> groups;
  for (const Option& option : set.options()) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
      groups.push_back(option.group);
    }
  }
  for (const std::string& group : groups) {
    text += fmt::format("\n{}:\n", group);
    for (const Option& option : set.options()) {
      if (option.group != group) continue;
      text += fmt::format("  {:<28} {}", written_form(option), option.help);
      std::string note = value_note(option);
      if (!note.empty()) text += fmt::format("\n  {:<28} {}", "", note);
      text += "\n";
    }
  }
  return text;
}

std::string as_toml(OptionSet& set) {
  std::string text;
  for (const Option& option : set.options()) {
    if (option.group == "Common" && option.kind == Option::Kind::kFlag) continue;
    if (option.name == "config" || (option.required && !option.was_set)) continue;
    text += fmt::format("{} = {}\n", option.name, json_of(option.get()).dump());
  }
  return text;
}

std::string overview(Commands commands) {
  return fmt::format(
      "bough writes sentences in the order it finds best: a word anywhere, then the words to its\n"
      "left and to its right.\n\nusage: bough VERB [options]\n\n{}\n"
      "`bough VERB --help` shows a verb's options, `bough --version` the version.\n",
      lines_of(commands));
}

std::string group_overview(std::string_view group, Commands commands) {
  std::string prefix = fmt::format("{} ", group);
  auto under = [&](const auto& command) { return command->name().starts_with(prefix); };
  // The verbs of a group stand next to each other.
  auto first = std::find_if(commands.begin(), commands.end(), under);
  auto last = std::find_if_not(first, commands.end(), under);
  return lines_of(Commands(first, last));
}

std::string reference(Commands commands) {
  std::string text =
      "# Options\n\nMade by `bough --reference`; do not edit. Each option can also be set in a "
      "TOML file (`-c FILE`,\nat the top or in a table named after the verb) or by the environment "
      "(`--batch-size` as\n`BOUGH_BATCH_SIZE`). The command line beats the environment, which "
      "beats the file.\n";
  for (const auto& command : commands) {
    OptionSet set;
    command->declare(set);
    text += '\n';
    text += reference_section(*command, set);
  }
  return text;
}

}  // namespace bough::cli
