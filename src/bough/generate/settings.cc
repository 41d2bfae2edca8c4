#include "bough/generate/settings.h"

#include "bough/base/error.h"

namespace bough {

namespace {

nlohmann::ordered_json read_settings(const fs::path& path) {
  if (!fs::exists(path)) return nlohmann::ordered_json::object();
  auto json = nlohmann::ordered_json::parse(read_file(path), nullptr, false);
  bool good = json.is_object();
  for (const auto& [way, settings] : json.items()) good = good && settings.is_object();
  if (!good) {
    throw DataError("'{}' is damaged: remove it, or make it anew with `bough tune`", path.string());
  }
  return json;
}

}  // namespace

void apply_tuned_settings(const fs::path& folder, const std::string& way, OptionSet& set) {
  fs::path path = folder / "generation.json";
  nlohmann::ordered_json all = read_settings(path);
  if (!all.contains(way)) return;
  nlohmann::json open = nlohmann::json::object();
  for (const auto& [name, value] : all[way].items()) {
    const Option* option = set.find(name);
    if (option == nullptr || !option->was_set) open[name] = value;
  }
  set.from_json(open, fmt::format("'{}'", path.string()));
}

void save_tuned_settings(const fs::path& folder, const std::string& way,
                         const nlohmann::ordered_json& settings) {
  fs::path path = folder / "generation.json";
  nlohmann::ordered_json all = read_settings(path);
  all[way] = settings;
  write_file(path, all.dump(2) + "\n");
}

}  // namespace bough
