// Models that come with the program, by name: `--model english`.
//
// They are folders in BOUGH_MODELS, if that is set, and where files that come with bough are
// (base/share.h). Of one name, the first counts. A folder of the user's own, where the user stands,
// beats them all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bough/base/file.h"
#include "bough/base/options.h"

namespace bough::cli {

struct ShippedModel {
  std::string name;
  fs::path folder;
};

using ShippedModels = std::vector<ShippedModel>;

/// All of them, by name.
ShippedModels shipped_models();

/// Puts the folder in the place of each name, in options that name models. DataError for a name
/// that is neither a folder nor a shipped model's, with those that there are.
void find_shipped_models(OptionSet& set);

/// A line for each: name, task, size on disk, precision, and the title of its card.
std::string list_of_shipped_models(bool json);

/// Bytes of all files in a folder.
uint64_t bytes_on_disk(const fs::path& folder);

/// `4.8 MB`.
std::string in_megabytes(uint64_t bytes);

}  // namespace bough::cli
