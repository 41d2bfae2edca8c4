// SIGINT and SIGTERM as a flag that long work watches.
#pragma once

#include <atomic>

namespace bough::cli {

/// Sets the handlers on first use. A second signal ends the process at once.
const std::atomic<bool>& stop_requested();

/// Interrupted where one has come.
void stop_where_asked();

}  // namespace bough::cli
