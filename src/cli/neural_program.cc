#include "neural_program.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "bough/base/error.h"
#include "bough/base/share.h"

namespace bough::cli {

namespace {

/// What all cores have done since the machine was started, in the kernel's ticks.
struct CoreTime {
  double idle = 0.0;
  double all = 0.0;
};

CoreTime core_time() {
  std::ifstream file("/proc/stat");  // cpu user nice system idle iowait irq softirq steal …
  std::string name;
  file >> name;
  CoreTime time;
  double ticks = 0.0;
  for (int column = 0; column < 8 && file >> ticks; ++column) {
    time.all += ticks;
    if (column == 3 || column == 4) time.idle += ticks;
  }
  return time;
}

/// Whether others keep three quarters of the cores' time, or more, while this process sleeps a
/// moment. (Half of two cores is the program at the other end of a pipe, which is just being
/// started.)
bool machine_is_busy() {
  CoreTime before = core_time();
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  CoreTime after = core_time();
  double all = after.all - before.all;
  return all > 0.0 && after.idle - before.idle < 0.25 * all;
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

bool has_neural_program() {
  return BOUGH_NN != 0;
}

void become_neural_program(char** arguments) {
  if (!has_neural_program()) {
    throw UsageError(
        "this bough was built without the verbs that compute with tensors (-DBOUGH_NN=OFF): build "
        "it with LibTorch, or take one that was");
  }
  fs::path program = own_folder() / "bough-nn";
  set_wait_policy();
  ::unsetenv("LD_BIND_NOW");  // it would look for functions that stand-ins (CMakeLists.txt) lack
  ::execv(program.c_str(), arguments);
  throw RunError("cannot start '{}', which belongs beside bough: {}", program.string(),
                 std::strerror(errno));
}

}  // namespace bough::cli
