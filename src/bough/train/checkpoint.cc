#include "bough/train/checkpoint.h"

#include <nlohmann/json.hpp>
#include <set>

#include "bough/base/error.h"
#include "bough/model/model.h"
#include "bough/model/policy.h"
#include "bough/model/tensor_file.h"
#include "bough/train/adam.h"

namespace bough {

namespace {

fs::path checkpoint_path(const fs::path& folder) {
  return folder / "state" / "checkpoint.safetensors";
}

/// Calls visit(name, field) for each field, so that reading and writing can't differ.
template <typename State, typename Visit>
void for_each_field(State& state, Visit visit) {
  visit("update", state.update);
  visit("epoch", state.epoch);
  visit("pass", state.pass);
  visit("batch", state.batch);
  visit("epoch_update", state.epoch_update);
  visit("epoch_loss", state.epoch_loss);
  visit("epoch_sentences", state.epoch_sentences);
  visit("best_loss", state.best_loss);
  visit("best_beta", state.best_beta);
  visit("best_goal", state.best_goal);
  visit("best_epoch", state.best_epoch);
  visit("epochs_since_best", state.epochs_since_best);
  visit("seconds", state.seconds);
  visit("metrics_bytes", state.metrics_bytes);
  visit("data", state.data);
  visit("judge_due", state.judge_due);
  visit("judged_update", state.judged_update);
  visit("minutes_spent", state.minutes_spent);
}

[[noreturn]] void refuse(const fs::path& path) {
  throw DataError("'{}' is not the state of a training run. Train anew with --force",
                  path.string());
}

TrainingState state_in(const SafetensorsFile& file, const fs::path& path) {
  try {
    return TrainingState::from_json(nlohmann::json::parse(file.metadata().at("state")));
  } catch (const std::exception&) {
    refuse(path);
  }
}

NamedTensors all_tensors(const Policy& policy, const Adam& adam) {
  NamedTensors tensors = policy.parameters();
  NamedTensors moments = adam.state();
  tensors.insert(tensors.end(), moments.begin(), moments.end());
  return tensors;
}

}  // namespace

nlohmann::ordered_json TrainingState::to_json() const {
  nlohmann::ordered_json json;
  for_each_field(*this, [&](const char* name, const auto& field) { json[name] = field; });
  return json;
}

TrainingState TrainingState::from_json(const nlohmann::json& json) {
  TrainingState state;
  for_each_field(state, [&](const char* name, auto& field) {
    static const std::set<std::string_view> kNewer = {"judge_due", "judged_update",
                                                      "minutes_spent"};  // than some checkpoints
    if (json.contains(name) || !kNewer.contains(name)) json.at(name).get_to(field);
  });
  return state;
}

bool has_checkpoint(const fs::path& folder) {
  return fs::exists(checkpoint_path(folder));
}

void save_checkpoint(const fs::path& folder, const Policy& policy, const Adam& adam,
                     const TrainingState& state) {
  make_folder(folder / "state");
  save_tensors(checkpoint_path(folder), all_tensors(policy, adam),
               {{"state", state.to_json().dump()}, {"adam_steps", std::to_string(adam.steps())}});
}

TrainingState load_checkpoint(const fs::path& folder, const Policy& policy, Adam& adam) {
  fs::path path = checkpoint_path(folder);
  SafetensorsFile file = SafetensorsFile::read(path);
  load_tensors(file, fmt::format("'{}'", path.string()), all_tensors(policy, adam));
  try {
    adam.set_steps(std::stoll(file.metadata().at("adam_steps")));
  } catch (const std::exception&) {
    refuse(path);
  }
  return state_in(file, path);
}

std::optional<TrainingState> load_state(const fs::path& folder) {
  if (!has_checkpoint(folder)) return std::nullopt;
  fs::path path = checkpoint_path(folder);
  return state_in(SafetensorsFile::read(path), path);
}

std::vector<fs::path> files_of_run(const fs::path& folder) {
  // The state stands first: without it nothing can take the rest for a run to be resumed.
  std::vector<fs::path> files;
  std::vector<std::string_view> names = {"state"};
  names.insert(names.end(), setting_files().begin(), setting_files().end());
  for (std::string_view name :
       {"model.safetensors", "metrics.jsonl", "generation.json", "README.md"}) {
    names.push_back(name);
  }
  for (std::string_view name : names) {
    if (fs::exists(folder / name)) files.push_back(folder / name);
  }
  return files;
}

void remove_run(const fs::path& folder) {
  for (const fs::path& file : files_of_run(folder)) {
    std::error_code error;
    fs::remove_all(file, error);
    if (error) throw DataError("cannot remove '{}': {}", file.string(), error.message());
  }
}

void remove_leftovers(const fs::path& folder) {
  for (const fs::path& place : {folder, folder / "state"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(place, error)) {
      if (is_temporary_name(entry.path())) fs::remove(entry.path(), error);
    }
  }
}

}  // namespace bough
