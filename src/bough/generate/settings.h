// generation.json: decoding settings that were chosen on validation data (`bough tune`), by what
// they are for.
//
//     {"reorder greedy": {"end-rule": "threshold", "end-threshold": 0.6}, "reorder exact mbr": {…}}
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bough/base/file.h"
#include "bough/base/options.h"
#include "bough/generate/writer_options.h"

namespace bough {

/// What settings for a way of using a model (`reorder exact`) are called, by the method.
std::string settings_name(std::string_view way, const WriterOptions& options);

/// All that the model's folder has, by name; none where it has no generation.json. DataError where
/// it is damaged.
nlohmann::ordered_json read_tuned_settings(const fs::path& folder);

/// Gives the options in `set` that nobody has set the values of `all` by this name, if there are
/// some, and says which; `where` names the file in messages.
nlohmann::json apply_tuned_settings(const nlohmann::ordered_json& all, const std::string& name,
                                    OptionSet& set, const std::string& where);

/// Gives the options in `set` that nobody has set the values of generation.json, if the model's
/// folder has one and it has some by this name, and says which. DataError where it is damaged.
nlohmann::json apply_tuned_settings(const fs::path& folder, const std::string& name,
                                    OptionSet& set);

/// Whether it has some by this name.
bool has_tuned_settings(const fs::path& folder, const std::string& name);

/// Adds settings to generation.json, or replaces those of the same name.
void save_tuned_settings(const fs::path& folder, const std::string& name,
                         const nlohmann::ordered_json& settings);

}  // namespace bough
