// What the verbs share that write from sources: how a line becomes one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bough/base/error.h"
#include "bough/base/options.h"
#include "bough/text/tokenizer.h"

namespace bough::ask {

struct SourceOptions {
  int64_t max_words = 500;

  void declare(OptionSet& set) {
    set.integer("max-source", max_words, {1, 1'000'000},
                "a line of more words (or pieces of words) is refused");
  }

  /// The words of a source; none of an empty line. DataError, without the line's number, for too
  /// many.
  std::vector<std::string> split(std::string_view line, const Tokenizer& tokenizer) const {
    std::vector<std::string> words = tokenizer.split(line);
    if (static_cast<int64_t>(words.size()) > max_words) {
      throw DataError("{} words or pieces of words, more than --max-source {}", words.size(),
                      max_words);
    }
    return words;
  }
};

}  // namespace bough::ask
