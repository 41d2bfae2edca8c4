// The example sentences of WordNet.
//
// A line of `data.noun`, `data.verb`, `data.adj` and `data.adv` describes a set of synonyms and
// ends in ` | ` and a gloss, a definition with examples in double quotes:
//
//     … | produced with little effort; "facile prose"; "a facile answer"- A.Writer
//
// An example begins at a quote behind a separator (`; , : . )` or another quote) and ends at the
// next quote that no word follows at once. What stands between examples is left out: attributions,
// and quotes in the midst of a definition (`the phrase "make strides"`). Where the closing quote is
// missing, an example ends where the next one begins; at the end of a gloss it is cut off and left
// out, and so is one with a quote or half a pair of parentheses in it. Quotes like `this' become
// 'this'.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bough/base/file.h"
#include "bough/base/options.h"
#include "bough/data/splits.h"
#include "bough/text/tokenizer.h"

namespace bough {

struct WordnetOptions {
  std::string folder = "/usr/share/wordnet";

  void declare(OptionSet& set) {
    set.text("folder", folder, "DIR", "WordNet's data files (Debian's package wordnet-base)");
  }

  /// Of the files that are written.
  std::vector<std::string> endings() const { return {".txt"}; }
};

/// The examples of one gloss, in order.
std::vector<std::string> gloss_examples(std::string_view gloss);

/// The examples of all glosses (some stand in more than one), in the order of the four files.
/// DataError for a missing folder or file, and for a line without a gloss.
std::vector<std::string> wordnet_examples(const fs::path& folder);

/// Writes train.txt, valid.txt and test.txt: tokenised, each line once, split by its hash.
SplitCounts write_wordnet(const WordnetOptions& options, const Tokenizer& tokenizer,
                          const fs::path& out);

}  // namespace bough
