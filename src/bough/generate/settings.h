// generation.json: decoding settings that were chosen on validation data (`bough tune`), by the way
// of decoding they are for.
//
//     {"free": {"end-rule": "threshold", "end-threshold": 0.6}, "exact": {…}}
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bough/base/file.h"
#include "bough/base/options.h"

namespace bough {

/// Gives the options in `set` that nobody has set the values of generation.json, if the model's
/// folder has one and it has some for `way`. DataError where it is damaged.
void apply_tuned_settings(const fs::path& folder, const std::string& way, OptionSet& set);

/// Adds settings to generation.json, or replaces those of the same way.
void save_tuned_settings(const fs::path& folder, const std::string& way,
                         const nlohmann::ordered_json& settings);

}  // namespace bough
