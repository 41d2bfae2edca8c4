// Where the program that runs stands, and where this code does.
#pragma once

#include "bough/base/file.h"

namespace bough {

fs::path program_folder();

/// The folder of the file that this code was loaded from: the program's, or that of an extension of
/// somebody else's program.
fs::path code_folder();

}  // namespace bough
