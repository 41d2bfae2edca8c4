// Sentences to learn tags from, and the other ways in which they could have been written.
#pragma once

#include <string>
#include <vector>

#include "bough/analysis/conllu.h"
#include "bough/analysis/universal_tag.h"

namespace bough {

struct TaggedSentence {
  std::vector<std::string> words;
  std::vector<UniversalTag> tags;
};

/// The words and tags of a file's sentences. DataError where a word has no tag or where there are
/// no sentences; `file` is for its message.
std::vector<TaggedSentence> tagged_sentences(const std::vector<ConlluSentence>& sentences,
                                             const std::string& file);

/// The same in lower case.
TaggedSentence lower_cased(TaggedSentence sentence);

/// A sentence as corpora of other makers would have it: as it is and in lower case; and if it has
/// words that are written together (`do n't`, `i 'm`), in lower case without apostrophes (`don t`,
/// `i m`, as in Persona-Chat) and with one word for both (`don't`, `i'm`), which gets the tag of
/// the first. Every word of `sentence` has a tag.
std::vector<TaggedSentence> spellings(const ConlluSentence& sentence);

}  // namespace bough
