// Where the values of reference implementations are. Without them a test fails: it must not pass
// because it compared nothing.
#pragma once

#include <cstdlib>
#include <stdexcept>

#include "bough/base/file.h"

namespace bough {

inline fs::path golden_root() {
  const char* root = std::getenv("BOUGH_GOLDEN");
  if (root == nullptr || !fs::is_directory(root)) {
    throw std::runtime_error("BOUGH_GOLDEN does not name the folder tests/golden");
  }
  return root;
}

}  // namespace bough
