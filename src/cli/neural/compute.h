// What has to be set up before a verb computes with tensors.
#pragma once

#include <optional>

#include "bough/model/precision.h"
#include "command.h"

namespace bough::cli {

/// Checks the device, sets up the libraries, and says which threads are used and whether the BLAS
/// is slow.
void set_up(const ComputeOptions& options);

/// What --precision says; none where nobody has set it.
std::optional<Precision> precision_said(Precision said, OptionSet& set);

}  // namespace bough::cli
