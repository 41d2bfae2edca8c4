// What has to be set up before a verb computes with tensors.
#pragma once

#include "bough/model/model.h"
#include "command.h"

namespace bough::cli {

/// Checks the device, sets up the libraries, and says which threads are used and whether the BLAS
/// is slow.
void set_up(const ComputeOptions& options);

/// What --precision says, or where nobody has set it, what the model is kept in.
Precision precision_for(const Model& model, Precision said, OptionSet& set);

}  // namespace bough::cli
