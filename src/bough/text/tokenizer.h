// From a line of text to words, and back.
//
// By default words are split at white space, and every punctuation mark or symbol (Unicode's
// classes P and S) is a word of its own, as in the paper: `how are you?` → `how`, `are`, `you`,
// `?`. What a reader takes for one character (grapheme.h) is never cut, be it of several code
// points: a flag or a family of emoji is one word. That is idempotent: split(words joined by
// spaces) gives the same words. A pretokenised line is split at spaces only. For translation there
// is a way that can be undone (european_tokenizer.h). Words may then be cut into pieces (bpe.h).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bough/base/options.h"
#include "bough/text/bpe_splitter.h"
#include "bough/text/vocabulary.h"

namespace bough {

enum class Splitting { kMarks, kEuropean };
template <>
struct EnumNames<Splitting> {
  static constexpr auto kNames = std::to_array<EnumName<Splitting>>(
      {{Splitting::kMarks, "marks"}, {Splitting::kEuropean, "european"}});
};

struct TokenizerOptions {
  Splitting splitting = Splitting::kMarks;
  bool pretokenized = false;
  bool lowercase = false;

  void declare(OptionSet& set) {
    set.choice("tokenizer", splitting,
               "marks: every punctuation mark is a word; european: numbers, abbreviations and "
               "apostrophes are left whole, and the text can be written again as it was");
    set.flag("pretokenized", pretokenized, "split lines at spaces only");
    set.flag("lowercase", lowercase, "turn text into lower case");
  }
};

class Tokenizer {
 public:
  explicit Tokenizer(const TokenizerOptions& options = {}) : options_(options) {}
  /// Cuts words into pieces.
  Tokenizer(const TokenizerOptions& options, BpeCodes codes);

  const TokenizerOptions& options() const { return options_; }
  /// Null where words stay whole.
  const BpeCodes* codes() const { return codes_.get(); }

  /// The words of a line of well-formed UTF-8, or their pieces.
  std::vector<std::string> split(std::string_view line) const;

  /// The pieces of a whole word: itself where there are no codes.
  std::vector<std::string> pieces_of(const std::string& word) const {
    return bpe_ ? bpe_->split_word(word) : std::vector<std::string>{word};
  }

  /// Those of a vocabulary that end within a word (`low@@`): none where words stay whole.
  std::vector<WordId> unfinished_pieces(const Vocabulary& vocabulary) const;

  /// What they are as a line: spaces between words, or where splitting can be undone, the text.
  std::string join(std::span<const std::string> words) const;

  /// As people write it: the text where splitting can be undone, else by rules (detokenize).
  std::string join_for_people(std::span<const std::string> words) const;

 private:
  bool is_european() const {
    return options_.splitting == Splitting::kEuropean && !options_.pretokenized;
  }
  std::vector<std::string> split_at_marks(std::string_view line) const;

  TokenizerOptions options_;
  std::shared_ptr<const BpeCodes> codes_;
  std::shared_ptr<const Bpe> bpe_;
};

/// The words with a space between each two: what corpora hold and `split` takes back.
std::string join_words(std::span<const std::string> words);

/// The words as people write them: no space before closing punctuation or behind opening
/// punctuation, quotes closed up in pairs, `don ' t` → `don't`, `3 . 5` → `3.5`.
std::string detokenize(std::span<const std::string> words);

}  // namespace bough
