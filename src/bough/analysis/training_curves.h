// What metrics.jsonl of a model says about its training: a curve for each number.
#pragma once

#include <string>
#include <vector>

#include "bough/analysis/chart.h"

namespace bough {

/// A number by updates. `name` is its key: loss, beta, learning_rate, valid_loss, bleu …
/// A file may be cut off in its last line, as that of a run under way is; else a line that is no
/// JSON object is a DataError.
std::vector<Series> read_training_curves(const std::string& path);

}  // namespace bough
