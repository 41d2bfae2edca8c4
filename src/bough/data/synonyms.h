// The synonyms of WordNet, as METEOR asks for them.
//
// WordNet puts words of one meaning into a numbered set. `index.noun`, `index.verb`, `index.adj`
// and `index.adv` list the sets of every word in its base form; `noun.exc` and its sisters name the
// base forms of irregular ones (`geese goose`). METEOR takes two words for synonyms when a set of
// the one is a set of the other. A word's sets are its own and those of its base forms: the ones
// that the exceptions name, or else the first word of WordNet that a regular ending leads to
// (`parties` → `party`).
//
// A set's number is its place in the file of its part of speech, and METEOR forgets the part of
// speech: a noun and an adjective that have nothing to do with each other may share a number. That
// is kept, since scores are to be METEOR's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bough/base/file.h"
#include "bough/text/word_numbers.h"

namespace bough {

/// Lists of numbers, one behind the other.
class NumberLists {
 public:
  void add(std::span<const uint32_t> list);
  std::span<const uint32_t> of(uint32_t index) const;

 private:
  std::vector<uint32_t> numbers_;
  std::vector<uint32_t> ends_;
};

class SynonymTable {
 public:
  /// Reads the index and exception files of Debian's package wordnet-base. DataError for a missing
  /// folder or file and for a malformed line.
  explicit SynonymTable(const fs::path& folder);

  /// The sets of a word and its base forms, ascending; nothing for an unknown word. Words are in
  /// lower case, with `_` for a space.
  std::span<const uint32_t> sets_of(std::string_view word) const;

  bool are_synonyms(std::string_view one, std::string_view other) const;

  /// Words in their base form.
  size_t lemmas() const { return lemmas_; }
  /// Irregular forms.
  size_t irregular_forms() const { return irregular_forms_; }

 private:
  /// The lemma that a regular ending of `word` leads to, or kUnknown.
  uint32_t regular_base(std::string_view word) const;

  WordNumbers words_;  // lemmas, then the irregular forms that are no lemmas
  uint32_t lemmas_ = 0;
  size_t irregular_forms_ = 0;
  NumberLists own_sets_;  // of lemmas
  NumberLists all_sets_;  // of all words, with those of base forms
};

/// Whether two ascending lists have a number in common.
bool have_common_number(std::span<const uint32_t> one, std::span<const uint32_t> other);

}  // namespace bough
