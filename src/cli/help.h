// What the program says about itself, made from the verbs' declarations.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "command.h"

namespace bough::cli {

using Commands = std::span<const std::unique_ptr<Command>>;

/// All verbs, a line each.
std::string overview(Commands commands);

/// Those of a group (`data`, `bench`, …), a line each; empty where there is none of that name.
std::string group_overview(std::string_view group, Commands commands);

/// The help page of a verb, for people.
std::string help_text(const Command& command, OptionSet& set);

/// docs/options.md: every option of every verb.
std::string reference(Commands commands);

/// What is in force, as a TOML file that `-c` takes.
std::string as_toml(OptionSet& set);

}  // namespace bough::cli
