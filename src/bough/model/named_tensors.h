// Weights by the names that they have in a file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bough/model/torch.h"

namespace bough {

using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

}  // namespace bough
