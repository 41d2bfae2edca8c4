// `GET /openapi.json`: the routes and their fields, made from the verbs' own declarations.
#pragma once

#include "server/http_error.h"

namespace bough::server {

Json openapi();

}  // namespace bough::server
