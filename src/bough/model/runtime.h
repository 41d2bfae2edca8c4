// What has to be set once in a process before LibTorch is used.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace bough {

/// Sets the number of threads (0: all cores) of every library in the process, turns on the CPU's
/// widest instructions and keeps freed memory for reuse. Gives the number of threads in force.
int64_t set_up_runtime(int64_t threads);

/// Has the calling thread's signal handlers that ask for it (SA_ONSTACK) run on a stack of their own,
/// unless they do already: oneDNN's matrix products keep numbers below the stack's end, and a handler
/// that runs there destroys them. Signals for the process go to the main thread.
void use_signal_stack();

/// A device's name as options give it: cpu, cuda or cuda:N. UsageError where it isn't there.
void check_device(const std::string& name);

/// Times a small matrix product. Empty where the BLAS is an optimised one, else a warning that says
/// what to install.
std::string slow_blas_warning();

/// Does `work` without keeping what gradients would need, which LibTorch decides thread by thread.
void without_gradients(const std::function<void()>& work);

/// Throws the exception under way anew, as one of ours (base/error.h): what LibTorch throws, whose
/// message carries a backtrace, and what only a mistake of ours can cause (std::logic_error) become
/// a RunError. Others stay what they are.
[[noreturn]] void rethrow_plainly();

/// Gives what `work` gives, and throws as rethrow_plainly does. Where a policy is made, asked or
/// changed for others, it is done within this: they hear of errors of ours alone.
template <typename Work>
auto with_plain_errors(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (...) {
    rethrow_plainly();
  }
}

}  // namespace bough
