// The tokenizers of sacreBLEU, which BLEU scores are only comparable with.
//
// `13a` and `intl` are the rules of mteval-v13a.pl and mteval-v14.pl: marks become words of their
// own, unless they stand in a number. `zh` sets off Chinese characters and applies 13a's rules to
// the rest, `char` makes every character a word, `none` splits at white space only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bough/base/options.h"

namespace bough {

enum class BleuTokenizer { k13a, kIntl, kZh, kChar, kNone };

template <>
struct EnumNames<BleuTokenizer> {
  static constexpr auto kNames =
      std::to_array<EnumName<BleuTokenizer>>({{BleuTokenizer::k13a, "13a"},
                                              {BleuTokenizer::kIntl, "intl"},
                                              {BleuTokenizer::kZh, "zh"},
                                              {BleuTokenizer::kChar, "char"},
                                              {BleuTokenizer::kNone, "none"}});
};

/// The line with white space between its words.
std::string separate_words(std::string_view line, BleuTokenizer tokenizer);

}  // namespace bough
