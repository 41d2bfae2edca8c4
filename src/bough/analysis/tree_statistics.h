// What the trees of a model look like, and in which order they are written.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bough/tree/trace.h"

namespace bough {

/// A word of several trees.
struct WordDepth {
  std::string word;
  int64_t count = 0;
  double mean_depth = 0.0;
};

struct TreeStatistics {
  int64_t trees = 0;
  int64_t words = 0;
  std::vector<int64_t> words_at_depth;      // how many stand so many edges below the root
  std::vector<int64_t> trees_of_height;     // how many have so many words on their longest path
  std::optional<double> mean_span;          // children of words that have any: 1 a chain, up to 2
  double depth_score = 0.0;                 // mean over trees of longest path / words: 1 a chain
  std::optional<double> left_share;         // of the words below a root, those to the left
  std::optional<double> order_correlation;  // mean over trees of more than one word, see below
  std::vector<WordDepth> roots;             // first words, the most frequent first
  std::vector<WordDepth> by_depth;          // all words, the highest in their trees first
};

/// Kendall's τ between the order of writing and the order of reading; `positions` are those of the
/// nodes in level order. 1: left to right, −1: right to left. Nothing for fewer than two.
std::optional<double> kendall_tau(std::span<const int> positions);

TreeStatistics measure_trees(std::span<const Trace> traces);

/// Of `by_depth` the words that were seen at least so often, as the mean depth of a few is chance.
/// Where no word was, those that were seen most often.
std::vector<WordDepth> frequent_by_depth(const TreeStatistics& trees, int64_t min_count);

}  // namespace bough
