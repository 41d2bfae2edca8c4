#include "neural/signals.h"

#include <signal.h>

#include <array>

namespace bough::cli {

namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int) {
  stop = true;
}

/// Handlers run on a stack of their own: oneDNN's matrix products keep numbers below the stack's
/// end, and a handler that runs there destroys them. Signals for the process go to the main thread,
/// which is the one that calls this.
void use_own_stack() {
  constexpr size_t kEnough = 64 * 1024;  // the registers of AVX-512 alone take several thousand
  static std::array<char, kEnough> memory;
  stack_t stack{};
  stack.ss_sp = memory.data();
  stack.ss_size = memory.size();
  sigaltstack(&stack, nullptr);
}

}  // namespace

const std::atomic<bool>& stop_requested() {
  static const bool installed = [] {
    use_own_stack();
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

}  // namespace bough::cli
