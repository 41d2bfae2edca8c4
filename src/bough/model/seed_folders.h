// Models of one recipe that differ in nothing but their seed, side by side in a folder:
//
//     OUT/seed-1, OUT/seed-2, …
//
// Each is a model's folder like any other; OUT stands for all of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bough/base/file.h"

namespace bough {

/// `1,2,3`, perhaps in several pieces; UsageError for what is no seed, or is there twice.
std::vector<int64_t> parse_seeds(std::span<const std::string> pieces);

fs::path seed_folder(const fs::path& out, int64_t seed);

/// The folders of seeds in `out` that hold a model, or the beginning of one, by their seeds.
std::vector<std::string> models_of_seeds(const fs::path& out);

/// In place of a folder that is no model but holds some of seeds, these.
std::vector<std::string> with_models_of_seeds(const std::vector<std::string>& folders);

}  // namespace bough
