// Sentences whose words are coloured by what they cost: an HTML page beside `bough score
// --by-word`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bough {

struct ColouredWord {
  std::string text;
  double cost = 0.0;                      // in nats: how much likelier the sentence is without it
  std::optional<std::string> other = {};  // the best other word in its place
  double with_other = 0.0;                // how much likelier the sentence is with that
};

struct ColouredSentence {
  std::vector<ColouredWord> words;
  double perplexity = 0.0;
};

std::string write_word_cost_page(std::string_view title,
                                 std::span<const ColouredSentence> sentences);

}  // namespace bough
