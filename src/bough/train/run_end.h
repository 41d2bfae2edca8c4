// When a run has come to its end: by one of its bounds, or by the time that it was given.
#pragma once

#include <optional>

#include "bough/train/checkpoint.h"
#include "bough/train/train_options.h"

namespace bough {

/// Whether training stops here, whatever the time.
bool bound_reached(const TrainOptions& options, const TrainingState& state);

/// Whether a run that was saved like this has come to its end: one of its bounds is reached and its
/// last model judged. Here --max-minutes bounds the time of all its parts together.
bool is_finished(const TrainOptions& options, const TrainingState& state);

/// Where the run stands that --resume goes on with, if there is one; UsageError where it was begun
/// with other options.
std::optional<TrainingState> state_to_resume(const TrainOptions& options);

}  // namespace bough
