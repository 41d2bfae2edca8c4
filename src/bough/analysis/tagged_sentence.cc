#include "bough/analysis/tagged_sentence.h"

#include <string_view>

#include "bough/base/error.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

TaggedSentence as_it_is(const ConlluSentence& sentence) {
  TaggedSentence result;
  for (const ConlluWord& word : sentence.words) {
    result.words.push_back(word.form);
    result.tags.push_back(word.tag.value());
  }
  return result;
}

/// The apostrophe at the beginning of `text`, or nothing.
std::string_view leading_apostrophe(std::string_view text) {
  for (std::string_view mark : {"'", "’"}) {
    if (text.starts_with(mark)) return mark;
  }
  return "";
}

TaggedSentence without_apostrophes(const ConlluSentence& sentence) {
  TaggedSentence result = as_it_is(sentence);
  for (const MultiWordToken& token : sentence.tokens) {
    for (size_t i = token.first + 1; i <= token.last; ++i) {
      std::string& word = result.words[i];
      if (word == "n't" || word == "n’t") {
        result.words[i - 1] += "n";
        word = "t";
      } else if (size_t length = leading_apostrophe(word).size(); length < word.size()) {
        word.erase(0, length);
      }
    }
  }
  return result;
}

TaggedSentence written_together(const ConlluSentence& sentence) {
  TaggedSentence result;
  auto token = sentence.tokens.begin();
  for (size_t i = 0; i < sentence.words.size(); ++i) {
    bool begins = token != sentence.tokens.end() && token->first == i;
    result.words.push_back(begins ? token->form : sentence.words[i].form);
    result.tags.push_back(sentence.words[i].tag.value());
    if (begins) i = (token++)->last;
  }
  return result;
}

}  // namespace

std::vector<TaggedSentence> tagged_sentences(const std::vector<ConlluSentence>& sentences,
                                             const std::string& file) {
  if (sentences.empty()) throw DataError("'{}' has no sentences", file);
  std::vector<TaggedSentence> result;
  for (const ConlluSentence& sentence : sentences) {
    for (const ConlluWord& word : sentence.words) {
      if (word.tag) continue;
      throw DataError("'{}', sentence {}: the word '{}' has no UPOS. Every word needs its tag",
                      file, result.size() + 1, for_message(word.form));
    }
    result.push_back(as_it_is(sentence));
  }
  return result;
}

TaggedSentence lower_cased(TaggedSentence sentence) {
  for (std::string& word : sentence.words) word = lower_case(word);
  return sentence;
}

std::vector<TaggedSentence> spellings(const ConlluSentence& sentence) {
  std::vector<TaggedSentence> result = {as_it_is(sentence), lower_cased(as_it_is(sentence))};
  if (!sentence.tokens.empty()) {
    result.push_back(lower_cased(without_apostrophes(sentence)));
    result.push_back(lower_cased(written_together(sentence)));
  }
  return result;
}

}  // namespace bough
