// Filling a verb's options from the command line, the environment and a configuration file.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bough/base/options.h"

namespace bough::cli {

/// In rising order of precedence: a configuration file (-c), the environment (BOUGH_…) and the
/// command line. Gives what isn't an option. `verbs` are the names that tables of a configuration
/// file may have.
std::vector<std::string> read_options(OptionSet& set, std::string_view verb,
                                      std::span<const std::string> verbs,
                                      std::span<const std::string> arguments);

}  // namespace bough::cli
