// The way from the words of a command line to an exit code, for both programs: finds the verb,
// reads its options, has it run, and turns what goes wrong into an exit code and one line on
// standard error.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "command.h"

namespace bough::cli {

/// What is done with a verb whose options have been read.
using RunVerb =
    std::function<void(Command& command, OptionSet& set, std::span<const std::string> arguments)>;

/// `words` are those behind the program's name.
int run_program(std::span<const std::string> words,
                std::span<const std::unique_ptr<Command>> commands, const RunVerb& run_verb);

}  // namespace bough::cli
