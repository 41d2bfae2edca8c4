// Translated talks: IWSLT's corpora as WIT3 distributes them.
//
// A folder holds, for German to English,
//
//     train.tags.de-en.de                 train.tags.de-en.en
//     IWSLT16.TED.tst2013.de-en.de.xml    IWSLT16.TED.tst2013.de-en.en.xml    (and other sets)
//
// The training files have a segment a line; lines that begin with `<` (`<url>`, `<title>`,
// `<reviewer>`, …) tell about the talk and are left out on each side by itself, as the two sides
// don't have the same of them. The others are XML, `<seg id="1"> text </seg>`, with entities
// (`&amp;`). Segments belong together by their order, so both sides must have as many.
//
// The year in the names may be any from 14 to 17, as long as the folder has a set only once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bough/base/file.h"
#include "bough/base/options.h"
#include "bough/data/splits.h"
#include "bough/text/tokenizer.h"

namespace bough {

struct IwsltOptions {
  std::string raw = {};
  std::string source = "de";
  std::string target = "en";
  std::string valid_set = "tst2013";
  std::string test_set = "tst2014";
  bool tokenize = false;

  void declare(OptionSet& set) {
    set.text("raw", raw, "DIR", "the folder with WIT3's train.tags.… and IWSLT….xml files")
        .required = true;
    set.text("source", source, "LANGUAGE", "the language to translate from");
    set.text("target", target, "LANGUAGE", "the language to translate to");
    set.text("valid-set", valid_set, "NAME", "the set to validate with: dev2010, tst2013, …");
    set.text("test-set", test_set, "NAME", "the set to test with: tst2010, tst2014, …");
    set.flag("tokenize", tokenize, "write words separated by spaces instead of the text as it is");
  }

  /// Of the files that are written.
  std::vector<std::string> endings() const { return {"." + source, "." + target}; }
};

struct IwsltCounts {
  SplitCounts pairs;
  int64_t empty_pairs = 0;  // left out, as a side of them is empty
};

/// The texts of the segments of an XML file. DataError names file and line.
std::vector<std::string> read_segments(const fs::path& path);

/// Calls `take` with the two sides of each pair, and gives the number of pairs passed over as a
/// side of them is empty. DataError names the file that is missing, or both that differ in length.
int64_t read_iwslt(
    const IwsltOptions& options,
    const std::function<void(Split, const std::string& source, const std::string& target)>& take);

/// Writes train.de, train.en, valid.de, … with all pairs in their order, repeated ones too. Without
/// `tokenize`, only the tokenizer's lower-casing is applied.
IwsltCounts write_iwslt(const IwsltOptions& options, const Tokenizer& tokenizer,
                        const fs::path& out);

}  // namespace bough
