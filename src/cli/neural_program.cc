#include "neural_program.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "bough/base/error.h"

namespace bough::cli {

namespace {

/// Processes that want a core right now, this one left out; 0 where that can't be known.
int64_t running_processes() {
  std::ifstream file("/proc/loadavg");  // three averages, then `running/all`
  std::string average;
  int64_t running = 1;
  file >> average >> average >> average >> running;
  return file ? std::max<int64_t>(0, running - 1) : 0;
}

/// Whether, at most of several moments, others keep a quarter of the cores busy.
bool machine_is_busy() {
  constexpr int kMoments = 5;
  auto cores = static_cast<int64_t>(std::thread::hardware_concurrency());
  int busy = 0;
  for (int moment = 0; moment < kMoments; ++moment) {
    if (moment > 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    if (4 * running_processes() >= cores && running_processes() > 0) ++busy;
  }
  return 2 * busy > kMoments;
}

/// How OpenMP's threads wait for work; libgomp reads it when it is loaded. To spin a little saves
/// waking them, but takes the core from the thread that is waited for where there are not enough
/// cores: docs/performance.md. What the user has set stays.
void set_wait_policy() {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return;
  if (machine_is_busy()) {
    ::setenv("OMP_WAIT_POLICY", "passive", 0);
  } else {
    ::setenv("GOMP_SPINCOUNT", "1000", 0);
  }
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
