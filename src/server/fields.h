// Options as fields of a request: `{"top_k": 40}` is `--top-k 40`, and `{"n": 3}` is `-n 3`.
//
// Names, ranges and words of complaint are those of the verb's own declarations (base/options.h).
// Options about the program that runs (files, threads) aren't fields.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bough/base/options.h"
#include "server/http_error.h"

namespace bough::server {

/// The body as an object; HttpError where it is none.
Json parse_body(const std::string& body);

/// Sets the options that the body names, but for `others`, which are no options. HttpError, which
/// names the nearest field, for one that isn't there or has another type; a field that is null
/// isn't there.
void set_fields(OptionSet& set, const Json& body, std::span<const std::string_view> others);

/// A text of the body; `otherwise` where it isn't there.
std::string text_field(const Json& body, const std::string& name,
                       const std::string& otherwise = "");
bool flag_field(const Json& body, const std::string& name);

/// An option as a field.
std::string field_name(const Option& option);
/// What OpenAPI says of it.
Json field_schema(const Option& option);

}  // namespace bough::server
