// Completing a command line in a shell. The shell's script (`bough completion bash`) asks the
// program itself, `bough --complete WORD…`, so what it offers is what the verbs declare.
#pragma once

#include <span>
#include <string>

#include "help.h"

namespace bough::cli {

/// What could stand for the last of `words`, which are those behind the program's name: a line
/// each, a word and after a tab what it means. A line `:files` or `:folders` stands for names of
/// such.
std::string candidates_text(std::span<const std::string> words, Commands commands);

}  // namespace bough::cli
