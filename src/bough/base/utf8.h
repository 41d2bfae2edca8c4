// UTF-8: checking it, and showing doubtful bytes in messages.
#pragma once

#include <string>
#include <string_view>

namespace bough {

/// The byte offset of the first ill-formed sequence, or npos where `text` is well-formed UTF-8.
size_t find_bad_utf8(std::string_view text);

/// Lower case by Unicode's rules; `text` must be well-formed.
std::string lower_case(std::string_view text);

/// How many columns a terminal gives `text` (an East Asian wide character takes two, a combining
/// mark none).
int display_width(std::string_view text);

/// `text` shortened to `limit` bytes and with control and ill-formed bytes as \xNN, for messages.
std::string for_message(std::string_view text, size_t limit = 60);

}  // namespace bough
