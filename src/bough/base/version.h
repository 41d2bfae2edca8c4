// Which bough this is: models, their cards and runs on disk say who wrote them.
#pragma once

#include <string_view>

namespace bough {

/// As `bough --version` has it: 1.2.3.
std::string_view version();

}  // namespace bough
