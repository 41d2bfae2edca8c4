// The log as JSON, a line each: `{"time": …, "level": …, "message": …}`, and for a request what is
// known of it.
#pragma once

#include "server/http_error.h"

namespace bough::server {

/// From now on all that is logged is written so.
void use_json_log();

/// Writes a line with these fields, and the time.
void log_json(const Json& fields);

}  // namespace bough::server
