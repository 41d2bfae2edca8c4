#include "bough/analysis/speech_by_depth.h"

#include "bough/base/error.h"
#include "bough/text/european_tokenizer.h"

namespace bough {

namespace {

TagsByDepth no_tags() {
  std::vector<std::string> names;
  for (const auto& [tag, name] : EnumNames<UniversalTag>::kNames) names.emplace_back(name);
  return TagsByDepth(std::move(names));
}

/// `tags` in sentence order.
void add_trace(const Tree& tree, std::span<const UniversalTag> tags, TagsByDepth& to) {
  std::vector<int> order = tree.in_order();
  for (size_t place = 0; place < order.size(); ++place) {
    to.add(tree.slot_of(tree.node(order[place])).depth, static_cast<size_t>(tags[place]));
  }
}

}  // namespace

TagsByDepth speech_by_depth(std::span<const Trace> traces, const Tagger& tagger) {
  TagsByDepth result = no_tags();
  for (const Trace& trace : traces) {
    std::vector<std::string> words = trace.sentence();
    for (std::string& word : words) word = shown_token(word);
    add_trace(trace.tree, tagger.tag(words), result);
  }
  return result;
}

TagsByDepth speech_by_depth(std::span<const Trace> traces,
                            std::span<const ConlluSentence> sentences, const std::string& file) {
  if (sentences.size() != traces.size()) {
    throw DataError("'{}' has {} sentences, the traces {}: it needs the same ones, in their order",
                    file, sentences.size(), traces.size());
  }
  TagsByDepth result = no_tags();
  for (size_t i = 0; i < traces.size(); ++i) {
    if (sentences[i].forms() != traces[i].sentence()) {
      throw DataError("'{}', sentence {}: not the words of the trace ('{}')", file, i + 1,
                      traces[i].text);
    }
    std::vector<UniversalTag> tags;
    for (const ConlluWord& word : sentences[i].words) {
      if (!word.tag) {
        throw DataError("'{}', sentence {}: '{}' has no tag (UPOS)", file, i + 1, word.form);
      }
      tags.push_back(*word.tag);
    }
    add_trace(traces[i].tree, tags, result);
  }
  return result;
}

TagsByDepth speech_by_dependency_depth(std::span<const ConlluSentence> sentences,
                                       const std::string& file) {
  TagsByDepth result = no_tags();
  for (const ConlluSentence& sentence : sentences) {
    std::vector<int> depths = dependency_depths(sentence);
    for (size_t i = 0; i < depths.size(); ++i) {
      if (sentence.words[i].tag) result.add(depths[i], static_cast<size_t>(*sentence.words[i].tag));
    }
  }
  if (result.depths() == 0) {
    throw DataError("'{}' has no sentence with tags (UPOS) and a tree (HEAD)", file);
  }
  return result;
}

}  // namespace bough
