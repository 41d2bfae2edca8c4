// The options of a run that goes on: those that it was begun with. Which ones may change is said
// where they are declared (OnResume, base/options.h).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bough/train/train_options.h"

namespace bough {

struct Model;

/// With --resume, gives options that nobody has set the values that the run in --out was begun
/// with; all but those that are about this call.
void take_options_of_run(const TrainOptions& options, OptionSet& set);

/// UsageError where options differ that may not change: all of them are named. `begun` are the
/// run's, by name.
void check_same_options(const nlohmann::json& begun, TrainOptions now);

/// The options that a model was trained with; the defaults of those that it doesn't know.
TrainOptions options_of(const Model& model);

/// What models of one recipe have in common, and no other: all options of their training but the
/// seed and those that are about a single call. One that doesn't know how it was trained, only its
/// folder.
std::string recipe_of(const Model& model, const std::string& folder);

}  // namespace bough
