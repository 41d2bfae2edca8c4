// Models that come with bough, by name: `--model english`.
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

namespace bough {

struct ShippedModel {
  std::string name;
  fs::path folder;
};

using ShippedModels = std::vector<ShippedModel>;

/// All of them, by name.
ShippedModels shipped_models();

/// The folder of a model that is named by that or as a shipped one. DataError for a name that is
/// neither, with those that there are.
std::string folder_of_model(const std::string& name);

/// Puts the folder in the place of each name, in options that name models.
void find_shipped_models(OptionSet& set);

/// A line for each: name, task, size on disk, precision, and the title of its card.
std::string list_of_shipped_models(bool json);

/// Bytes of all files in a folder.
uint64_t bytes_on_disk(const fs::path& folder);

/// `4.8 MB`.
std::string in_megabytes(uint64_t bytes);

}  // namespace bough
