#include "neural_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "bough/base/error.h"

namespace bough::cli {

namespace {

/// How OpenMP's threads wait for work: libgomp reads it when it is loaded. Spinning for long costs
/// other programs, and us beside them, far more than it saves (docs/performance.md). What the user
/// has set stays.
void set_wait_policy() {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  ::setenv("GOMP_SPINCOUNT", "3000", 0);
}

}  // namespace

std::filesystem::path own_folder() {
  std::error_code failure;  // without /proc the program is looked for where the user is
  return std::filesystem::read_symlink("/proc/self/exe", failure).parent_path();
}

void become_neural_program(char** arguments) {
  std::filesystem::path program = own_folder() / "bough-nn";
  set_wait_policy();
  ::execv(program.c_str(), arguments);
  throw RunError("cannot start '{}', which belongs beside bough: {}", program.string(),
                 std::strerror(errno));
}

}  // namespace bough::cli
