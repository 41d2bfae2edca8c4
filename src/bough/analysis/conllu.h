// CoNLL-U: tagged and parsed sentences, as spaCy, Stanza, UDPipe and the treebanks of Universal
// Dependencies write them (universaldependencies.org/format.html).
//
// A line a word with ten columns between tabs, an empty line behind each sentence, comments after
// `#`. Three of the columns are read: FORM, UPOS and HEAD. Lines of multi-word tokens (`3-4 don't`)
// say how the words 3 and 4 are written together and are kept beside the words; empty nodes (`8.1`)
// belong to the enhanced graph and are left out.
//
// The heads of a sentence are a tree: one word has head 0 and is the root, and every other word
// comes to it in the end. A file without trees has `_` for all heads, one without tags `_` for
// UPOS.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bough/analysis/universal_tag.h"
#include "bough/base/file.h"

namespace bough {

struct ConlluWord {
  std::string form;
  std::optional<UniversalTag> tag;  // none for `_`
  int head = 0;                     // the head's number, from 1; 0: the root, or no tree at all
};

/// Several words that are written as one.
struct MultiWordToken {
  size_t first = 0;  // places of its words, from 0
  size_t last = 0;
  std::string form;
};

struct ConlluSentence {
  std::vector<ConlluWord> words;
  std::vector<MultiWordToken> tokens;  // in the order of their words, none with a word in common
  bool has_tree = false;

  std::vector<std::string> forms() const;
};

/// Reads a file (plain or gzipped; `-`: standard input) a sentence at a time. Throws a DataError
/// that names file, line and column where the file isn't CoNLL-U.
class ConlluReader {
 public:
  explicit ConlluReader(const std::string& path) : reader_(path) {}

  /// False at the end of the file. Sentences have at least one word.
  bool next(ConlluSentence& sentence);

 private:
  LineReader reader_;
  std::string line_;
};

/// All sentences of a file.
std::vector<ConlluSentence> read_conllu(const std::string& path);

/// How far each word is from the root of its tree (the root: 0). Empty where there is no tree.
std::vector<int> dependency_depths(const ConlluSentence& sentence);

}  // namespace bough
