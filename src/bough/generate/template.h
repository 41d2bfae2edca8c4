// Templates: sentences with gaps, from a line of text or a seed tree.
//
//     ___ favorite ___ food ___ !
//
// Three or more underscores or `<blank>` are a gap of any length, none included; `<blank:1-3>` is
// one of one to three words, `<blank:2>` of two, `<blank:2->` of two or more, `<blank:-3>` of at
// most three. Words that stand next to each other stay so, and where the line doesn't begin or end
// with a gap the sentence begins or ends as it does. Where words are cut into pieces, what is given
// is a word by itself: no piece that wants another behind it is put before it.
//
// A seed tree is JSON: {"token": "food", "left": …, "right": …}. A side is another tree, or null
// (or left out) for an open slot, or "<end>" for a closed one. Its given words are placed as it has
// them.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bough/generate/demands.h"
#include "bough/text/tokenizer.h"

namespace bough {

/// How words of templates become those of the model.
class TemplateWords {
 public:
  /// Both have to stay as long as it does.
  TemplateWords(const Tokenizer& tokenizer, const Vocabulary& vocabulary);

  std::vector<GivenWord> split(std::string_view text) const;

  /// The pieces of words that aren't their last, if words are cut: `low@@`. Null: none.
  const std::shared_ptr<const std::vector<WordId>>& unfinished() const { return unfinished_; }

 private:
  const Tokenizer& tokenizer_;
  const Vocabulary& vocabulary_;
  std::shared_ptr<const std::vector<WordId>> unfinished_;
};

/// DataError where a gap's bounds can't be read.
Demands parse_template(std::string_view line, const TemplateWords& words);

/// DataError where it is no tree.
Demands parse_seed_tree(const nlohmann::json& tree, const TemplateWords& words);

/// Phrases that have to appear, in this order, with anything before, between and behind them.
Demands demand_phrases(std::span<const std::string> phrases, const TemplateWords& words);

/// `a, b c, d` → `a`, `b c`, `d`.
std::vector<std::string> split_phrases(std::string_view list);

}  // namespace bough
