// Persona-Chat as a corpus of sentences: every persona sentence (original and revised) and every
// utterance, each once a split, as in the paper.
//
// Two forms of the raw data are read. A folder with ParlAI's text files, `train_both_original.txt`
// and its like (train, valid, test; both, self, other, none; original, revised; with or without
// `_no_cands`), all that are there:
//
//     1 your persona: i like to ski.
//     2 partner's persona: i have two dogs.
//     3 hi there !<TAB>hello , how are you ?<TAB><TAB>a candidate|another|…
//
// Candidates aren't used, and `__SILENCE__` is no utterance. Or the JSON of
// `personachat_self_original.json`, {"train": [dialogue, …], "valid": …}, where a dialogue is
// {"personality": [sentence, …], "utterances": [{"history": [sentence, …], "candidates": […]}, …]}
// and the last candidate is the reply.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bough/base/file.h"
#include "bough/base/options.h"
#include "bough/data/splits.h"
#include "bough/text/tokenizer.h"

namespace bough {

struct PersonachatOptions {
  std::string raw;

  void declare(OptionSet& set) {
    set.text("raw", raw, "PATH",
             "a folder with ParlAI's Persona-Chat files, or personachat_self_original.json")
        .required = true;
  }

  /// Of the files that are written.
  std::vector<std::string> endings() const { return {".txt"}; }
};

/// Calls `take` with each sentence, repeated ones too, and gives the splits that are there.
/// DataError names the file, with the line or the field, and what is expected.
std::vector<Split> read_personachat(const fs::path& raw,
                                    const std::function<void(Split, std::string_view)>& take);

/// Writes train.txt, valid.txt and test.txt for the splits that are there: tokenised, in first-seen
/// order.
SplitCounts write_personachat(const PersonachatOptions& options, const Tokenizer& tokenizer,
                              const fs::path& out);

}  // namespace bough
