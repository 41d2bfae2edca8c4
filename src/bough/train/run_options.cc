#include "bough/train/run_options.h"

#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/base/options_json.h"
#include "bough/model/model.h"
#include "bough/train/checkpoint.h"

namespace bough {

void take_options_of_run(const TrainOptions& options, OptionSet& set) {
  if (!options.resume || !has_checkpoint(options.out)) return;
  nlohmann::json begun = load_model_setting(options.out).config.training;
  nlohmann::json open = nlohmann::json::object();
  for (const auto& [name, value] : begun.items()) {
    const Option* option = set.find(name);
    bool taken = option != nullptr && !option->was_set && option->on_resume != OnResume::kThisCall;
    if (taken) open[name] = value;
  }
  set_from_json(set, open, fmt::format("'{}', \"training\"", options.out));
}

void check_same_options(const nlohmann::json& begun, TrainOptions now) {
  OptionSet set;
  now.declare(set);
  std::vector<std::string> changed;
  for (const Option& option : set.options()) {
    if (option.on_resume != OnResume::kFixed || !begun.contains(option.name)) continue;
    nlohmann::json value = json_of(option.get());
    if (begun.at(option.name) == value) continue;
    changed.push_back(fmt::format("--{} is {}, but the run was begun with {}", option.name,
                                  value.dump(), begun.at(option.name).dump()));
  }
  if (changed.empty()) return;
  throw UsageError("--resume: {}. Leave such options out, or train anew with --force",
                   fmt::join(changed, "; "));
}

TrainOptions options_of(const Model& model) {
  TrainOptions options;
  OptionSet set;
  options.declare(set);
  nlohmann::json own = nlohmann::json::object();
  for (const auto& [option, value] : model.config.training.items()) {
    if (set.find(option) != nullptr) own[option] = value;
  }
  set_from_json(set, own, "config.json, \"training\"");
  return options;
}

std::string recipe_of(const Model& model, const std::string& folder) {
  nlohmann::ordered_json recipe = model.config.training;
  if (recipe.empty()) return folder;
  TrainOptions options;
  OptionSet set;
  options.declare(set);
  for (const Option& option : set.options()) {
    if (option.on_resume == OnResume::kThisCall || option.name == "seed") recipe.erase(option.name);
  }
  return recipe.dump();
}

}  // namespace bough
