// A line of English text as METEOR sees it: a list of words.
//
// METEOR's own normalisation takes text apart as the Moses tokeniser does and then goes further, so
// that two spellings of one thing match: quotes and dashes become plain ones, `well-known` becomes
// two words, `U.S.` becomes `US`, `don't` becomes `don` and `'t`. A full stop at the end of a word
// is a word of its own, unless the word is a known abbreviation or the next word is in lower case.
//
// Letters are those of Western European languages and Cyrillic; every other character (also a CJK
// one) is a word of its own. As in METEOR, the rules go over the line one after the other, each
// from left to right without overlaps. That leaves some places as they are: `a,b,c` becomes `a ,
// b,c`, since the first match takes the `b` with it. Scores depend on it, so it is kept.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bough/base/options.h"

namespace bough {

enum class MeteorNormalization {
  kFull,           // as above, in lower case
  kNoPunctuation,  // and without all that is neither letter nor digit
  kLowerCase,      // split at white space (ASCII's only), in lower case
  kNone,           // split at white space (ASCII's only)
};

template <>
struct EnumNames<MeteorNormalization> {
  static constexpr auto kNames = std::to_array<EnumName<MeteorNormalization>>(
      {{MeteorNormalization::kFull, "norm"},
       {MeteorNormalization::kNoPunctuation, "nopunct"},
       {MeteorNormalization::kLowerCase, "lower"},
       {MeteorNormalization::kNone, "none"}});
};

/// The words of a line of well-formed UTF-8.
std::vector<std::string> meteor_words(std::string_view line, MeteorNormalization normalization);

}  // namespace bough
