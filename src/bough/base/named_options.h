// Options given by name and value, by a program that calls the library.
#pragma once

#include <map>
#include <string>

#include "bough/base/options.h"

namespace bough {

/// Names as docs/options.md has them, with dashes or underscores, or the letter of a short one:
/// {{"end-rule", "sample"}, {"top_k", 40}, {"n", 3}}.
using NamedOptions = std::map<std::string, OptionValue>;

/// Sets them. UsageError, in the command line's words, for a name that isn't there or a value that
/// isn't allowed.
void set_by_name(OptionSet& set, const NamedOptions& values);

}  // namespace bough
