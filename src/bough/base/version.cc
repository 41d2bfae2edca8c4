#include "bough/base/version.h"

namespace bough {

std::string_view version() {
  return BOUGH_VERSION;
}

}  // namespace bough
