// A model's card: README.md in its folder, for people. No clock in it: equal runs write equal
// files.
#pragma once

#include <string>

#include "bough/train/checkpoint.h"
#include "bough/train/training_data.h"

namespace bough {

std::string model_card(const TrainOptions& options, const TrainingState& state,
                       const TrainingData& data, const Model& model);

}  // namespace bough
