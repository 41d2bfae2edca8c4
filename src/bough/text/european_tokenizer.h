// Words and marks of European languages, for translation, so that the text can be written again as
// it was.
//
// A line is cut at white space and around punctuation, and never within what a reader takes for one
// character (grapheme.h). Where a cut has no white space, one of the
// two tokens carries a joiner `￭` (U+FFED) on that side:
//
//     Hello, (big) world!    →    Hello ￭, (￭ big ￭) world ￭!
//
// A mark carries it rather than a word: on the right where the mark leads what follows, else on the
// left, and on both sides between two words (`and ￭/￭ or`). What stays in one token:
//
//   - the same mark several times: `...`, `--`, `!!!`;
//   - numbers: `3.5`, `1,000`, `10:30`, `1'000`. Ranges are cut: `3 ￭-￭ 5`;
//   - words with hyphens: `well-known`, `20-jährig`, and the first half of `Haupt- und Nebensatz`;
//   - periods inside words: `example.com`; and abbreviations with their last period: `z.B.`,
//   `U.S.`,
//     a list for German and English (`Dr.`, `usw.`), and single letters, `J. Smith`, unless they
//     end the line, `Plan B ￭.`, or are `I`. The period of `am 3. Mai` is cut off, as nothing tells
//     it from the end of a sentence.
//
// Apostrophes: English and German endings are cut off before it (`it ￭'s`, `don ￭'t`, `geht ￭'s`),
// Romance elisions behind it (`l'￭ homme`, `qu'￭ il`); other words stay whole (`o'clock`).
//
// The law: join(split(line)) is the line, but for white space, of which single spaces between words
// are left. It holds for any text. A `￭` in it is escaped, so a line that was split and is split
// again comes back as the line that was split, not as the text before: split raw text only.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bough {

class Vocabulary;

/// The tokens of a line; none is empty or has white space in it.
std::vector<std::string> split_european(std::string_view line);

/// The text of tokens. Takes what a model writes too: any tokens in any order, with joiners
/// anywhere.
std::string join_european(std::span<const std::string> tokens);

/// What people read of one token, and whether there is no space between two.
std::string shown_token(std::string_view token);
bool joins(std::string_view token, std::string_view next);

/// A token that a vocabulary knows, if need be with a joiner: in templates and bags people write
/// marks by themselves, `___ .`, that texts have behind a word, `￭.`.
std::string known_token(std::string token, const Vocabulary& vocabulary);

}  // namespace bough
