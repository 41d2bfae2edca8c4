// Options as JSON: what checkpoints and tuned settings keep of them.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "bough/base/options.h"

namespace bough {

nlohmann::ordered_json json_of(const OptionValue& value);

/// All values by name.
nlohmann::ordered_json json_of(const OptionSet& set);

/// All values of an options struct, by name.
template <typename Options>
nlohmann::ordered_json values_of(Options options) {
  OptionSet set;
  options.declare(set);
  return json_of(set);
}

/// Sets what `values` names; unknown names and wrong types are DataErrors that name `where`.
void set_from_json(OptionSet& set, const nlohmann::json& values, std::string_view where);

}  // namespace bough
