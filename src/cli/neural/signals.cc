#include "neural/signals.h"

#include <signal.h>

#include "bough/base/error.h"
#include "bough/model/runtime.h"

namespace bough::cli {

namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int) {
  stop = true;
}

}  // namespace

const std::atomic<bool>& stop_requested() {
  static const bool installed = [] {
    use_signal_stack();
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK | SA_RESETHAND;  // the second one has its usual effect
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    return true;
  }();
  static_cast<void>(installed);
  return stop;
}

void stop_where_asked() {
  if (stop_requested()) throw Interrupted("interrupted");
}

}  // namespace bough::cli
