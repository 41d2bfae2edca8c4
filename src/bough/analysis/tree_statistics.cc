#include "bough/analysis/tree_statistics.h"

#include <algorithm>
#include <map>

namespace bough {

namespace {

/// Counts of something by its size.
class Histogram {
 public:
  void add(int value) {
    auto index = static_cast<size_t>(value);
    if (counts_.size() <= index) counts_.resize(index + 1);
    ++counts_[index];
  }
  std::vector<int64_t> counts() && { return std::move(counts_); }

 private:
  std::vector<int64_t> counts_;
};

struct DepthSum {
  int64_t count = 0;
  int64_t depth = 0;
};
using DepthSums = std::map<std::string, DepthSum, std::less<>>;

std::vector<WordDepth> words_of(const DepthSums& sums) {
  std::vector<WordDepth> words;
  for (const auto& [word, sum] : sums) {
    words.push_back(
        {word, sum.count, static_cast<double>(sum.depth) / static_cast<double>(sum.count)});
  }
  return words;
}

std::optional<double> ratio(int64_t part, int64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::optional<double> kendall_tau(std::span<const int> positions) {
  auto size = static_cast<int64_t>(positions.size());
  if (size < 2) return std::nullopt;
  int64_t inversions = 0;  // sentences are short: no need for a merge sort
  for (size_t i = 0; i < positions.size(); ++i) {
    for (size_t j = i + 1; j < positions.size(); ++j) inversions += positions[j] < positions[i];
  }
  return 1.0 - 4.0 * static_cast<double>(inversions) / static_cast<double>(size * (size - 1));
}

TreeStatistics measure_trees(std::span<const Trace> traces) {
  TreeStatistics result;
  Histogram depths;
  Histogram heights;
  DepthSums roots;
  DepthSums all;
  int64_t parents = 0;
  int64_t children = 0;
  int64_t left_children = 0;
  double depth_scores = 0.0;
  double correlations = 0.0;
  int64_t correlated = 0;
  for (const Trace& trace : traces) {
    const Tree& tree = trace.tree;
    if (tree.word_count() == 0) continue;
    ++result.trees;
    result.words += tree.word_count();
    heights.add(tree.depth() + 1);
    depth_scores += static_cast<double>(tree.depth() + 1) / tree.word_count();
    for (int id = 0; id < tree.word_count(); ++id) {
      const Tree::Node& node = tree.node(id);
      int depth = tree.slot_of(node).depth;
      depths.add(depth);
      bool left = node.left_child != Tree::kNone;
      bool right = node.right_child != Tree::kNone;
      parents += left || right;
      children += left + right;
      left_children += left;
      for (DepthSums* sums : {&all, &roots}) {
        if (sums == &roots && id > 0) continue;
        DepthSum& sum = (*sums)[trace.texts[static_cast<size_t>(id)]];
        ++sum.count;
        sum.depth += depth;
      }
    }
    if (std::optional<double> tau = kendall_tau(tree.positions())) {
      correlations += *tau;
      ++correlated;
    }
  }
  result.words_at_depth = std::move(depths).counts();
  result.trees_of_height = std::move(heights).counts();
  result.mean_span = ratio(children, parents);
  result.left_share = ratio(left_children, children);
  if (result.trees > 0) result.depth_score = depth_scores / static_cast<double>(result.trees);
  if (correlated > 0) result.order_correlation = correlations / static_cast<double>(correlated);
  result.roots = words_of(roots);
  std::ranges::stable_sort(result.roots, std::greater{}, &WordDepth::count);
  result.by_depth = words_of(all);
  std::ranges::stable_sort(result.by_depth, {}, &WordDepth::mean_depth);
  return result;
}

std::vector<WordDepth> frequent_by_depth(const TreeStatistics& trees, int64_t min_count) {
  int64_t highest = 0;
  for (const WordDepth& word : trees.by_depth) highest = std::max(highest, word.count);
  std::vector<WordDepth> frequent = trees.by_depth;
  std::erase_if(frequent, [bound = std::min(min_count, highest)](const WordDepth& word) {
    return word.count < bound;
  });
  return frequent;
}

}  // namespace bough
