#include "bough/generate/settings.h"

#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/base/options_json.h"

namespace bough {

nlohmann::ordered_json read_tuned_settings(const fs::path& folder) {
  fs::path path = folder / "generation.json";
  if (!fs::exists(path)) return nlohmann::ordered_json::object();
  auto json = nlohmann::ordered_json::parse(read_file(path), nullptr, false);
  bool good = json.is_object();
  for (const auto& [name, settings] : json.items()) good = good && settings.is_object();
  if (!good) {
    throw DataError("'{}' is damaged: remove it, or make it anew with `bough tune`", path.string());
  }
  return json;
}

std::string settings_name(std::string_view way, const WriterOptions& options) {
  return fmt::format("{} {}", way, options.method());
}

nlohmann::json apply_tuned_settings(const nlohmann::ordered_json& all, const std::string& name,
                                    OptionSet& set, const std::string& where) {
  nlohmann::json open = nlohmann::json::object();
  if (!all.contains(name)) return open;
  for (const auto& [key, value] : all[name].items()) {
    const Option* option = set.find(key);
    if (option == nullptr || !option->was_set) open[key] = value;
  }
  set_from_json(set, open, fmt::format("'{}'", where));
  return open;
}

bool has_tuned_settings(const fs::path& folder, const std::string& name) {
  return read_tuned_settings(folder).contains(name);
}

nlohmann::json apply_tuned_settings(const fs::path& folder, const std::string& name,
                                    OptionSet& set) {
  return apply_tuned_settings(read_tuned_settings(folder), name, set,
                              (folder / "generation.json").string());
}

void save_tuned_settings(const fs::path& folder, const std::string& name,
                         const nlohmann::ordered_json& settings) {
  fs::path path = folder / "generation.json";
  nlohmann::ordered_json all = read_tuned_settings(folder);
  all[name] = settings;
  write_file(path, all.dump(2) + "\n");
}

}  // namespace bough
