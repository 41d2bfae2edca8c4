// UTF-8: checking it, taking it apart, and showing doubtful bytes in messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bough {

/// The byte offset of the first ill-formed sequence, or npos where `text` is well-formed UTF-8.
size_t find_bad_utf8(std::string_view text);

/// Lower case by Unicode's rules; `text` must be well-formed.
std::string lower_case(std::string_view text);

/// The code points of `text`; an ill-formed sequence counts as U+FFFD.
std::u32string code_points(std::string_view text);

/// Appends a code point to UTF-8.
void append_code_point(std::string& text, char32_t code_point);

/// Unicode's white space, and the separators U+001C to U+001F.
bool is_white_space(char32_t code_point);

/// What stands between white space; the views point into `text`.
std::vector<std::string_view> split_at_white_space(std::string_view text);

/// How many columns a terminal gives `text` (an East Asian wide character takes two, a combining
/// mark none).
int display_width(std::string_view text);

/// `text` shortened to `limit` bytes and with control and ill-formed bytes as \xNN, for messages.
std::string for_message(std::string_view text, size_t limit = 60);

}  // namespace bough
