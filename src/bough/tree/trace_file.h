// Traces in a file, one JSON object a line (gzipped or not), as `--format jsonl` writes them.
#pragma once

#include <functional>
#include <string>

#include "bough/tree/trace.h"

namespace bough {

/// Calls `take` with each trace, in the file's order. Empty lines, which stand for empty lines of a
/// source, are passed over. DataError, with file and line, where a line is no trace.
void read_traces(const std::string& path, const std::function<void(Trace&&)>& take);

}  // namespace bough
