// Writing sentences with a model as options say it, with the settings that `bough tune` has chosen
// for it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../writing_options.h"
#include "bough/generate/writer.h"

namespace bough::cli {

/// How a permutation of given words is found where neither --decode nor --beam-size nor --mbr says
/// it: by a beam. Greedily, a wrong word early on leaves others over that fit nowhere and have to
/// be written: a beam is worth ten BLEU and more (docs/experiments.md).
void search_unless_told(WriterOptions& options, OptionSet& set);

/// The model, whose task has to be one of the verb's, ready to write. Options in `set` that nobody
/// has set become those tuned for `way`, the precision that of the model.
std::shared_ptr<const Model> open_model(WritingOptions& writing, std::string_view verb,
                                        std::string_view way, OptionSet& set);

/// Who ranks what `model` writes anew, by that or by another model; none where nobody is asked to.
std::unique_ptr<Reranker> open_reranker(const WritingOptions& writing,
                                        const std::shared_ptr<const Model>& model);

/// The paper's experiment: three random words of sentence number `index` are given.
Prompt completion_prompt(const WriterOptions& options, std::span<const std::string> sentence,
                         size_t index, const Vocabulary& vocabulary);

/// Where a list of the best is asked for and decoding finds but one sentence.
void warn_of_greedy(const WriterOptions& options, const WriteRequest& request);

/// The sentences for each prompt, in order, until the user interrupts.
void write_sentences(const WriterOptions& options, const Model& model, const WriteRequest& request,
                     const std::function<void(std::vector<Written>&&)>& take);

}  // namespace bough::cli
