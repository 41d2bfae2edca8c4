// Statistics of trees, on trees whose numbers can be worked out by hand.
#include "bough/analysis/tree_statistics.h"

#include <gtest/gtest.h>

#include "bough/base/random.h"

namespace bough {
namespace {

/// `words` in sentence order; node i in level order stands at positions[i].
Trace trace_of(const std::vector<std::string>& words, const std::vector<int>& positions) {
  std::vector<WordId> ids(words.size(), kSpecials);
  Trace trace{.tree = Tree::from_positions(ids, positions), .texts = {}, .scores = {}};
  for (int position : positions) trace.texts.push_back(words[static_cast<size_t>(position)]);
  return trace;
}

TEST(TreeStatistics, KendallsTauOfKnownOrders) {
  std::vector<int> forward = {0, 1, 2, 3};
  std::vector<int> backward = {3, 2, 1, 0};
  std::vector<int> mixed = {1, 0, 2};  // one pair of three is inverted
  EXPECT_DOUBLE_EQ(kendall_tau(forward).value(), 1.0);
  EXPECT_DOUBLE_EQ(kendall_tau(backward).value(), -1.0);
  EXPECT_DOUBLE_EQ(kendall_tau(mixed).value(), 1.0 / 3.0);
  EXPECT_FALSE(kendall_tau({}).has_value());
  std::vector<int> one = {0};
  EXPECT_FALSE(kendall_tau(one).has_value());
}

TEST(TreeStatistics, OfTwoTrees) {
  std::vector<Trace> traces = {
      trace_of({"how", "are", "you", "?"}, {1, 0, 3, 2}),  // are → how, ? → you
      trace_of({"are", "you"}, {0, 1}),                    // a chain to the right
  };
  TreeStatistics found = measure_trees(traces);
  EXPECT_EQ(found.trees, 2);
  EXPECT_EQ(found.words, 6);
  EXPECT_EQ(found.words_at_depth, (std::vector<int64_t>{2, 3, 1}));
  EXPECT_EQ(found.trees_of_height, (std::vector<int64_t>{0, 0, 1, 1}));
  EXPECT_DOUBLE_EQ(found.mean_span.value(), 4.0 / 3.0);   // are 2, ? 1, are 1
  EXPECT_DOUBLE_EQ(found.left_share.value(), 2.0 / 4.0);  // how and you
  EXPECT_DOUBLE_EQ(found.depth_score, (3.0 / 4.0 + 1.0) / 2.0);
  // are how ? you: how before are, you before ?: two of six pairs are inverted.
  EXPECT_DOUBLE_EQ(found.order_correlation.value(), (1.0 / 3.0 + 1.0) / 2.0);
  ASSERT_EQ(found.roots.size(), 1U);
  EXPECT_EQ(found.roots[0].word, "are");
  EXPECT_EQ(found.roots[0].count, 2);
  ASSERT_EQ(found.by_depth.size(), 4U);
  EXPECT_EQ(found.by_depth.front().word, "are");
  EXPECT_EQ(found.by_depth.back().word, "you");
  EXPECT_DOUBLE_EQ(found.by_depth.back().mean_depth, 1.5);
}

TEST(TreeStatistics, RareWordsAreLeftOutOfTheHighOnes) {
  std::vector<Trace> traces = {trace_of({"aardvarks", "dig"}, {0, 1}),  // once, and at the root
                               trace_of({"we", "dig"}, {1, 0}), trace_of({"we", "dig"}, {0, 1}),
                               trace_of({"we", "dig"}, {1, 0})};
  TreeStatistics trees = measure_trees(traces);
  auto words = [&](int64_t min_count) {
    std::vector<std::string> found;
    for (const WordDepth& word : frequent_by_depth(trees, min_count)) found.push_back(word.word);
    return found;
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(words(1), (Words{"aardvarks", "dig", "we"}));
  EXPECT_EQ(words(2), (Words{"dig", "we"}));
  EXPECT_EQ(words(3), (Words{"dig", "we"}));
  EXPECT_EQ(words(4), Words{"dig"});
  EXPECT_EQ(words(5), Words{"dig"});  // the most frequent: never an empty list
  EXPECT_TRUE(frequent_by_depth(measure_trees({}), 5).empty());
}

TEST(TreeStatistics, OfNothing) {
  TreeStatistics found = measure_trees({});
  EXPECT_EQ(found.trees, 0);
  EXPECT_FALSE(found.mean_span.has_value());
  EXPECT_FALSE(found.order_correlation.has_value());
  std::vector<Trace> one = {trace_of({"hello"}, {0})};
  found = measure_trees(one);
  EXPECT_DOUBLE_EQ(found.depth_score, 1.0);
  EXPECT_FALSE(found.left_share.has_value());
}

/// Laws that hold for any tree: what is counted adds up, and a mirrored tree has the opposite
/// order.
TEST(TreeStatistics, CountsAddUpAndMirrorsAreOpposite) {
  RandomStream random(5, Purpose::kTest);
  for (int round = 0; round < 50; ++round) {
    Tree tree;
    while (!tree.complete()) {
      if (tree.word_count() < 12 && (tree.word_count() == 0 || random.uniform() < 0.6)) {
        tree.add_word(kSpecials);
      } else {
        tree.add_end();
      }
    }
    std::vector<int> positions = tree.positions();
    TreeStatistics found = measure_trees(std::vector<Trace>{
        {.tree = tree, .texts = std::vector<std::string>(positions.size(), "w"), .scores = {}}});
    int64_t words = 0;
    for (int64_t count : found.words_at_depth) words += count;
    EXPECT_EQ(words, found.words);
    EXPECT_EQ(static_cast<int>(found.words_at_depth.size()), tree.depth() + 1);
    if (tree.word_count() < 2) continue;
    std::vector<int> mirrored;
    for (int position : positions) mirrored.push_back(tree.word_count() - 1 - position);
    EXPECT_NEAR(kendall_tau(mirrored).value(), -found.order_correlation.value(), 1e-12);
  }
}

}  // namespace
}  // namespace bough
