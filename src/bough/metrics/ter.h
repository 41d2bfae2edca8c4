// TER, translation edit rate (Snover et al., 2006): edits for a hundred words of reference, as
// sacreBLEU 2.6.0 computes it. See ter_shifts.h for what is an edit.
#pragma once

#include <memory>

#include "bough/metrics/metric.h"
#include "bough/metrics/ter_tokenizer.h"

namespace bough {

/// Of several references, the fewest edits and the average length count.
std::unique_ptr<Metric> make_ter(const TerOptions& options);

}  // namespace bough
