// What has to be set up before a verb computes with tensors.
#pragma once

#include "command.h"

namespace bough::cli {

/// Checks the device, sets up the libraries, and says which threads are used and whether the BLAS
/// is slow.
void set_up(const ComputeOptions& options);

}  // namespace bough::cli
