// A batch of sources as encoders read them: word by word, each source closed by a </s>, so that
// none is empty.
#pragma once

#include <span>
#include <vector>

#include "bough/model/layers/row_layout.h"
#include "bough/tree/step_input.h"

namespace bough {

struct SourceWords {
  explicit SourceWords(std::span<const SourceIds> sources) : layout(lengths_of(sources)) {
    for (SourceIds source : sources) {
      words.insert(words.end(), source.begin(), source.end());
      words.push_back(kBagEnd);
    }
  }

  RowLayout layout;            // where each source's words are
  std::vector<int64_t> words;  // of all sources, one behind the other

 private:
  static std::vector<int64_t> lengths_of(std::span<const SourceIds> sources) {
    std::vector<int64_t> lengths;
    for (SourceIds source : sources) lengths.push_back(static_cast<int64_t>(source.size()) + 1);
    return lengths;
  }
};

}  // namespace bough
