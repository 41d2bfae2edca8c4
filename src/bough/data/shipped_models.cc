#include "bough/data/shipped_models.h"

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/base/share.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

/// Where they may be, the first first.
std::vector<fs::path> folders_of_models() {
  std::vector<fs::path> folders;
  const char* own = std::getenv("BOUGH_MODELS");
  if (own != nullptr && *own != '\0') folders.emplace_back(own);
  for (const fs::path& folder : share_folders()) folders.push_back(folder / "models");
  return folders;
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.find('/') == std::string::npos && name != "." && name != "..";
}

/// The card's title: the first line that is a heading.
std::string title_of(const fs::path& card) {
  if (!fs::exists(card)) return "";
  LineReader reader(card.string());
  std::string line;
  while (reader.next(line)) {
    if (line.starts_with("# ")) return line.substr(2);
  }
  return "";
}

nlohmann::ordered_json describe(const ShippedModel& model) {
  auto config = nlohmann::json::parse(read_file(model.folder / "config.json"), nullptr, false);
  if (!config.is_object()) config = nlohmann::json::object();
  auto text = [&](const char* field, const char* otherwise) {
    bool there = config.contains(field) && config[field].is_string();
    return there ? config[field].get<std::string>() : std::string(otherwise);
  };
  return {{"name", model.name},
          {"task", text("task", "?")},
          {"precision", text("precision", "float")},
          {"bytes", bytes_on_disk(model.folder)},
          {"description", title_of(model.folder / "README.md")}};
}

}  // namespace

ShippedModels shipped_models() {
  std::map<std::string, fs::path> found;
  for (const fs::path& place : folders_of_models()) {
    std::error_code error;  // a place that isn't there has no models
    for (const auto& entry : fs::directory_iterator(place, error)) {
      if (!fs::exists(entry.path() / "config.json")) continue;
      found.emplace(entry.path().filename().string(), entry.path().lexically_normal());
    }
  }
  ShippedModels models;
  for (auto& [name, folder] : found) models.push_back({name, folder});
  return models;
}

std::string folder_of_model(const std::string& name) {
  if (!is_plain_name(name) || fs::exists(name)) return name;
  ShippedModels models = shipped_models();
  std::vector<std::string> names;
  for (const ShippedModel& model : models) {
    if (model.name == name) return model.folder.string();
    names.push_back(model.name);
  }
  if (names.empty()) return name;  // whoever loads it says that there is no such folder
  throw DataError("there is no model folder '{}', and no shipped model of that name; there are {}",
                  for_message(name), fmt::join(names, ", "));
}

void find_shipped_models(OptionSet& set) {
  for (Option& option : set.options()) {
    if (!option.is_model || !option.was_set) continue;
    if (option.kind == Option::Kind::kText) {
      option.set(folder_of_model(std::get<std::string>(option.get())));
    } else {
      auto names = std::get<std::vector<std::string>>(option.get());
      option.clear_list();
      for (const std::string& name : names) option.set(folder_of_model(name));
    }
  }
}

std::string list_of_shipped_models(bool json) {
  auto all = nlohmann::ordered_json::array();
  for (const ShippedModel& model : shipped_models()) all.push_back(describe(model));
  if (json) return all.dump(2) + "\n";
  size_t widest = 0;
  for (const auto& model : all) {
    widest = std::max(widest, model["name"].get<std::string>().size());
  }
  std::string text;
  for (const auto& model : all) {
    text +=
        fmt::format("{:<{}}  {:<9}  {:>8}  {:<5}  {}\n", model["name"].get<std::string>(), widest,
                    model["task"].get<std::string>(), in_megabytes(model["bytes"].get<uint64_t>()),
                    model["precision"].get<std::string>(), model["description"].get<std::string>());
  }
  return text;
}

uint64_t bytes_on_disk(const fs::path& folder) {
  uint64_t bytes = 0;
  std::error_code error;  // what goes away meanwhile has no size
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (!entry.is_regular_file(error)) continue;
    uint64_t size = entry.file_size(error);
    if (!error) bytes += size;
  }
  return bytes;
}

std::string in_megabytes(uint64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

}  // namespace bough
