// The page where sentences grow: page/ as one file, which CMake puts into the program. It shares
// the report's style (analysis/page).
#pragma once

#include <string>

namespace bough::server {

const std::string& page();

}  // namespace bough::server
