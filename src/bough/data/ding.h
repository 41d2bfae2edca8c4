// German-English pairs from Ding's dictionary (Debian's package trans-de-en).
//
// A line is `German :: English`; parts of both sides, separated by `|`, belong together one by one,
// and a part has alternatives, separated by `;`:
//
//     Haus {n} [arch.] | Mein Haus ist groß.; Ich habe ein großes Haus. :: house | My house is big.
//
// The rules by which pairs are made of it:
//
//  1. What stands in {}, [], () or <> is annotation and left out, and so is an abbreviation between
//     slashes (`Department of Defense /DoD/`). A part with a bracket that has no partner is passed
//     over, and so is a line whose sides differ in the number of parts.
//  2. A sentence starts with an upper-case letter and ends in `.`, `!` or `?`. The first
//  alternative
//     that is one is taken on each side; a pair has two words on one side at least.
//  3. In a sentence only the first of the words that slashes separate is kept (`may/might be` →
//  `may
//     be`), but only where that can't go wrong: alternatives of several words can't be told from
//     what follows them, and an alternative that seems to have such ones is passed over.
//  4. A phrase pair (on demand) is made of the first alternatives, of two words or more each, with
//     no slash, where the part is no pair of sentences.
//  5. Text with a gap (`…`), a word that stands for others (`jdm.`, `etw.`, `sb.`, `sth.`) or a
//     symbol of grammar (`+`, `=`, `~`, …) is passed over.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bough/base/file.h"
#include "bough/base/options.h"
#include "bough/data/splits.h"
#include "bough/text/tokenizer.h"

namespace bough {

struct DingOptions {
  std::string file = "/usr/share/trans/de-en";
  bool phrases = false;
  bool tokenize = false;

  void declare(OptionSet& set) {
    set.text("file", file, "FILE", "Ding's dictionary (Debian's package trans-de-en)");
    set.flag("phrases", phrases, "take pairs of phrases as well as pairs of sentences");
    set.flag("tokenize", tokenize, "write words separated by spaces instead of the text as it is");
  }

  /// Of the files that are written.
  std::vector<std::string> endings() const { return {".de", ".en"}; }
};

struct GermanEnglish {
  std::string german;
  std::string english;

  bool operator==(const GermanEnglish&) const = default;
};

/// The pairs of one line of the dictionary. DataError (that names no place) where it isn't one.
std::vector<GermanEnglish> ding_line_pairs(std::string_view line, bool phrases);

/// The pairs of the dictionary, in its order. DataError names file and line.
std::vector<GermanEnglish> ding_pairs(const DingOptions& options);

/// Writes train.de, train.en, valid.de, … with each pair once. The split follows from a hash of the
/// German side (in lower case and tokenised, whatever is written), so that no source sentence is in
/// two splits. Without `tokenize`, only the tokenizer's lower-casing is applied.
SplitCounts write_ding(const DingOptions& options, const Tokenizer& tokenizer, const fs::path& out);

}  // namespace bough
