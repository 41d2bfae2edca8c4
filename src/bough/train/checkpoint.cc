#include "bough/train/checkpoint.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "bough/base/error.h"
#include "bough/model/policy.h"
#include "bough/model/tensor_file.h"
#include "bough/train/adam.h"
#include "bough/train/weight_average.h"

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
  visit("epoch_sentences", state.epoch_sum.sentences);
  visit("epoch_loss", state.epoch_sum.total.loss);
  visit("best_loss", state.best.loss);
  visit("best_beta", state.best.beta);
  visit("best_goal", state.best.goal);
  visit("best_epoch", state.best.epoch);
  visit("epochs_since_best", state.best.epochs_since);
  visit("seconds", state.seconds);
  visit("metrics_bytes", state.metrics_bytes);
  visit("data", state.data);
}

/// The same for fields that checkpoints of earlier versions don't have.
template <typename State, typename Visit>
void for_each_newer_field(State& state, Visit visit) {
  visit("judge_due", state.judge_due);
  visit("judged_update", state.judged_update);
  visit("minutes_spent", state.minutes_spent);
  visit("epoch_word_loss", state.epoch_sum.total.word_loss);
  visit("epoch_end_loss", state.epoch_sum.total.end_loss);
  visit("epoch_nats", state.epoch_sum.total.nats);
  visit("threads", state.conditions.threads);
  visit("kernels", state.conditions.kernels);
  visit("version", state.conditions.version);
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

NamedTensors all_tensors(const Learned& learned) {
  NamedTensors tensors = learned.policy.parameters();
  auto add = [&](const NamedTensors& more) {
    tensors.insert(tensors.end(), more.begin(), more.end());
  };
  add(learned.adam.state());
  if (learned.average != nullptr) add(learned.average->state());
  return tensors;
}

}  // namespace

nlohmann::ordered_json TrainingState::to_json() const {
  nlohmann::ordered_json json;
  auto put = [&](const char* name, const auto& field) { json[name] = field; };
  for_each_field(*this, put);
  for_each_newer_field(*this, put);
  return json;
}

TrainingState TrainingState::from_json(const nlohmann::json& json) {
  TrainingState state;
  for_each_field(state, [&](const char* name, auto& field) { json.at(name).get_to(field); });
  for_each_newer_field(state, [&](const char* name, auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    if (json.contains(name) && !json.at(name).is_null()) {
      json.at(name).get_to(field);
    } else if (std::is_same_v<Field, double> && state.epoch_sum.sentences > 0) {
      // Sums of an epoch that began before they were kept aren't known.
      field = std::numeric_limits<Field>::quiet_NaN();
    }
  });
  return state;
}

bool has_checkpoint(const fs::path& folder) {
  return fs::exists(checkpoint_path(folder));
}

void save_checkpoint(const fs::path& folder, const Learned& learned, const TrainingState& state) {
  make_folder(folder / "state");
  save_tensors(
      checkpoint_path(folder), all_tensors(learned),
      {{"state", state.to_json().dump()}, {"adam_steps", std::to_string(learned.adam.steps())}});
}

TrainingState load_checkpoint(const fs::path& folder, const Learned& learned) {
  fs::path path = checkpoint_path(folder);
  SafetensorsFile file = SafetensorsFile::read(path);
  load_tensors(file, fmt::format("'{}'", path.string()), all_tensors(learned));
  try {
    learned.adam.set_steps(std::stoll(file.metadata().at("adam_steps")));
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

}  // namespace bough
