#include "command.h"

#include <stdexcept>

#include "bough/base/error.h"
#include "bough/base/utf8.h"

namespace bough::cli {

void NeuralVerb::run(OptionSet& /*set*/, std::span<const std::string> /*arguments*/) {
  throw std::logic_error("a verb of the neural program was run by another");
}

void mark_as_set(OptionSet& set, OptionSet& given) {
  for (Option& option : set.options()) {
    const Option* same = given.find(option.name);
    option.was_set = same != nullptr && same->was_set;
  }
}

void no_arguments(std::span<const std::string> arguments, std::string_view verb) {
  if (arguments.empty()) return;
  throw UsageError("bough {} takes options only, not '{}'", verb, for_message(arguments.front()));
}

}  // namespace bough::cli
