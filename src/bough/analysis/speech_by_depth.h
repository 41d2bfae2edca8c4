// Parts of speech by depth, from a tagger, from a tagged file, or from a treebank.
#pragma once

#include "bough/analysis/conllu.h"
#include "bough/analysis/depth_profile.h"
#include "bough/analysis/tagger.h"

namespace bough {

TagsByDepth speech_by_depth(std::span<const Trace> traces, const Tagger& tagger);

/// By the tags of a file that has the traces' sentences, in their order. DataError, with `file` in
/// its message, where these aren't the same words or a word has no tag.
TagsByDepth speech_by_depth(std::span<const Trace> traces,
                            std::span<const ConlluSentence> sentences, const std::string& file);

/// Words that people wrote, by their depth in dependency trees. DataError where the file has none.
TagsByDepth speech_by_dependency_depth(std::span<const ConlluSentence> sentences,
                                       const std::string& file);

}  // namespace bough
