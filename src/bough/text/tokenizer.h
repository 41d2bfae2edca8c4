// From a line of text to words, and back.
//
// Words are split at white space, and every punctuation mark or symbol (Unicode's classes P and S)
// is a word of its own, as in the paper: `how are you?` → `how`, `are`, `you`, `?`. Splitting is
// idempotent: split(words joined by spaces) gives the same words. A pretokenised line is split at
// spaces only.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bough/base/options.h"

namespace bough {

struct TokenizerOptions {
  bool pretokenized = false;
  bool lowercase = false;

  void declare(OptionSet& set) {
    set.flag("pretokenized", pretokenized, "split lines at spaces only");
    set.flag("lowercase", lowercase, "turn text into lower case");
  }
};

class Tokenizer {
 public:
  explicit Tokenizer(const TokenizerOptions& options = {}) : options_(options) {}

  const TokenizerOptions& options() const { return options_; }

  /// The words of a line of well-formed UTF-8.
  std::vector<std::string> split(std::string_view line) const;

 private:
  TokenizerOptions options_;
};

/// The words with a space between each two: what corpora hold and `split` takes back.
std::string join_words(std::span<const std::string> words);

/// The words as people write them: no space before closing punctuation or behind opening
/// punctuation, quotes closed up in pairs, `don ' t` → `don't`, `3 . 5` → `3.5`.
std::string detokenize(std::span<const std::string> words);

}  // namespace bough
