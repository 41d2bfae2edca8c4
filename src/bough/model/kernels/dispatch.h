// Which kernels compute. They are written once (implementation.h), compiled for each instruction
// set, and chosen at run time.
//
// The law of all of them: every output element is computed by one thread in one fixed order, so no
// result depends on the number of threads or on how many rows are computed together.
#pragma once

#include <cstdint>

namespace bough {

/// Work below this many numbers isn't worth waking a second thread.
constexpr int64_t kWorthAThread = 1 << 14;

/// What computes: "avx512", "avx2" or "base", the instruction set in use; or "plain" where
/// BOUGH_KERNELS=plain asks for LibTorch's operators instead (see uses_kernels in
/// model/functions.h). Who calls a kernel all the same then gets the best one.
const char* kernel_name();

}  // namespace bough
