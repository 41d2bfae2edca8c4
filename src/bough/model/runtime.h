// What has to be set once in a process before LibTorch is used.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace bough {

/// Sets the number of threads (0: all cores) of every library in the process, turns on the CPU's
/// widest instructions and keeps freed memory for reuse. Gives the number of threads in force.
int64_t set_up_runtime(int64_t threads);

/// A device's name as options give it: cpu, cuda or cuda:N. UsageError where it isn't there.
void check_device(const std::string& name);

/// Times a small matrix product. Empty where the BLAS is an optimised one, else a warning that says
/// what to install.
std::string slow_blas_warning();

/// Calls `work`; what LibTorch throws, whose message carries a backtrace, becomes a RunError.
void with_plain_errors(const std::function<void()>& work);

}  // namespace bough
