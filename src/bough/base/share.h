// Files that come with bough: models and the tagger.
#pragma once

#include <vector>

#include "bough/base/file.h"

namespace bough {

/// The folder of the program, or of the shared library, that this code is in.
fs::path own_folder();

/// Folders that may hold them, as `models` and `tagger`; the first that has what is looked for
/// counts: beside the program, as it is built; from the program's own place, where both were moved
/// together; and where they are installed. Of a library (the Python package's extensions): its own
/// folder, and where they are installed.
std::vector<fs::path> share_folders();

}  // namespace bough
