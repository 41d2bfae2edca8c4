#include "bough/base/program_folder.h"

namespace bough {

fs::path program_folder() {
  std::error_code failure;  // without /proc things are looked for where the user is
  return fs::read_symlink("/proc/self/exe", failure).parent_path();
}

}  // namespace bough
