#include "bough/train/run_end.h"

#include <nlohmann/json.hpp>

#include "bough/model/model.h"
#include "bough/train/run_options.h"

namespace bough {

bool bound_reached(const TrainOptions& options, const TrainingState& state) {
  return state.epoch >= options.epochs ||
         (options.updates > 0 && state.update >= options.updates) ||
         (options.patience > 0 && state.best.epochs_since >= options.patience);
}

bool is_finished(const TrainOptions& options, const TrainingState& state) {
  constexpr double kRounding = 1e-6;
  bool time_spent =
      options.max_minutes > 0.0 && state.minutes_spent >= options.max_minutes - kRounding;
  bool judged =
      !state.judge_due && (state.epoch_update == 0 || state.judged_update == state.update);
  return time_spent || (bound_reached(options, state) && judged);
}

std::optional<TrainingState> state_to_resume(const TrainOptions& options) {
  if (!options.resume) return std::nullopt;
  std::optional<TrainingState> state = load_state(options.out);
  if (state) {
    check_same_options(load_model_setting(options.out).config.training, settled(options));
  }
  return state;
}

}  // namespace bough
