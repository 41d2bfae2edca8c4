// Writing sentences with a model as options say it, with the settings that `bough tune` has chosen
// for it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../writing_options.h"
#include "bough/ask/writing_task.h"

namespace bough::cli {

/// Sets up the process, says the seed, and opens the model, for --precision if that was set.
ask::OpenModel open_for_writing(const std::string& folder, const WriterOptions& options,
                                const ComputeOptions& compute, OptionSet& set);

/// Tells people of what `bough tune` has chosen, if there is something.
void tell_of_settings(const std::string& name, const nlohmann::json& tuned);

/// The paper's experiment: three random words of sentence number `index` are given.
Prompt completion_prompt(const WriterOptions& options, std::span<const std::string> sentence,
                         size_t index, const Vocabulary& vocabulary);

/// Where a list of the best is asked for and decoding finds but one sentence.
void warn_of_greedy(const WriterOptions& options, const WriteRequest& request);

/// The sentences for each prompt, in order, until the user interrupts.
void write_sentences(const WriterOptions& options, const Model& model, const WriteRequest& request,
                     const std::function<void(std::vector<Written>&&)>& take);

}  // namespace bough::cli
