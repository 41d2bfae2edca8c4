// Reading a corpus: a sentence a line, as plain text, TSV or JSONL, plain or gzipped.
//
// The format follows from the name (`.tsv`, `.jsonl`, anything else is plain text; `.gz` may
// follow). TSV: one column of it, and every line has as many columns as the first. JSONL: an object
// with "tokens" (a list of words) or "text". Empty lines are no sentences and are passed over. A
// malformed line (ill-formed UTF-8, a zero byte, over-long, wrong columns, no such JSON) is an
// error that names file and line, or is skipped and counted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bough/base/options.h"
#include "bough/text/tokenizer.h"

namespace bough {

struct CorpusOptions {
  bool skip_bad_lines = false;
  int64_t column = 1;
  int64_t max_line_words = 1000;

  void declare(OptionSet& set) {
    set.flag("skip-bad-lines", skip_bad_lines, "skip and count malformed lines instead of failing");
    set.integer("column", column, {1, 1000}, "the column of a TSV file that holds the sentences");
    set.integer("max-line-words", max_line_words, {1, 100'000},
                "a line of more words is malformed");
  }
};

struct CorpusReport {
  int64_t sentences = 0;
  int64_t words = 0;
  int64_t empty_lines = 0;
  int64_t bad_lines = 0;
  std::string first_bad;  // what was wrong with the first of them, and where
};

/// Calls `take` with the words of each sentence, in the file's order.
CorpusReport read_corpus(const std::string& path, const Tokenizer& tokenizer,
                         const CorpusOptions& options,
                         const std::function<void(std::vector<std::string>&&)>& take);

/// One side of a parallel corpus.
struct CorpusSide {
  std::string path;
  const Tokenizer& tokenizer;
  int64_t column = 1;  // of a TSV file, which may be that of the other side too
};

/// Calls `take` with the words of each pair of lines. A pair with an empty side is passed over.
/// Both sides must have as many lines, else it is a DataError that names both.
CorpusReport read_parallel(
    const CorpusSide& source, const CorpusSide& target, const CorpusOptions& options,
    const std::function<void(std::vector<std::string>&&, std::vector<std::string>&&)>& take);

/// All sentences of a file, which has to have some; none where no file is named.
std::vector<std::vector<std::string>> read_sentences(const std::string& path,
                                                     const Tokenizer& tokenizer,
                                                     const CorpusOptions& options);

}  // namespace bough
