// What a reader takes for one character: a letter with its accents, a flag, a family of emoji.
//
// These are Unicode's extended grapheme clusters (UAX 29), but that a prepended mark (rule GB9b,
// some signs of Arabic and Indic scripts) is a character by itself: it would take a space with it.
#pragma once

#include <cstddef>
#include <string_view>

namespace bough {

/// Where the character ends that begins at the byte `begin`. An ill-formed sequence counts as
/// U+FFFD.
size_t grapheme_end(std::string_view text, size_t begin);

/// Whether a character is a keycap: a digit, `#` or `*` in a box, which is a symbol.
bool is_keycap(std::string_view character);

}  // namespace bough
