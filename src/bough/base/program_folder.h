// Where the program that runs stands.
#pragma once

#include "bough/base/file.h"

namespace bough {

fs::path program_folder();

}  // namespace bough
