// Random sentences and trees for tests of laws.
//
// A GoldTree is made without bough's own Tree: spans are cut and queued here, so that a test
// compares two ways to the same thing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "bough/base/random.h"
#include "bough/text/vocabulary.h"

namespace bough {

/// Words drawn from the first `distinct` ones behind the specials: few of them, many duplicates.
inline std::vector<WordId> random_sentence(RandomStream& random, int words, int distinct) {
  std::vector<WordId> sentence;
  for (int i = 0; i < words; ++i) {
    auto drawn = static_cast<WordId>(random.below(static_cast<uint64_t>(distinct)));
    sentence.push_back(kSpecials + drawn);
  }
  return sentence;
}

/// Mostly short, with single words, and now and then 200 words; some all of one word.
inline std::vector<WordId> random_sentence(RandomStream& random) {
  uint64_t kind = random.below(40);
  int words = kind == 0 ? 200 : kind < 4 ? 1 : static_cast<int>(2 + random.below(15));
  return random_sentence(random, words, static_cast<int>(1 + random.below(20)));
}

enum class TreeForm { kRandom, kLeftChain, kRightChain, kZigzag, kMiddle };

struct GoldTree {
  std::vector<WordId> sentence;
  std::vector<int> positions;    // of the words, in level order
  std::vector<WordId> actions;   // with kEnd
  std::vector<int> step_depths;  // of each action's slot
  int depth = -1;
};

/// A tree over `sentence`: a queue of spans, each cut at a place that `form` chooses.
inline GoldTree gold_tree(const std::vector<WordId>& sentence, TreeForm form,
                          RandomStream& random) {
  struct Span {
    int begin, end, depth;
  };
  GoldTree tree{.sentence = sentence, .positions = {}, .actions = {}, .step_depths = {}};
  std::deque<Span> queue{{0, static_cast<int>(sentence.size()), 0}};
  for (; !queue.empty(); queue.pop_front()) {
    auto [begin, end, depth] = queue.front();
    tree.step_depths.push_back(depth);
    if (begin == end) {
      tree.actions.push_back(kEnd);
      continue;
    }
    bool at_end = form == TreeForm::kLeftChain || (form == TreeForm::kZigzag && depth % 2 == 1);
    int place = at_end ? end - 1 : begin;
    if (form == TreeForm::kMiddle) place = begin + (end - begin) / 2;
    if (form == TreeForm::kRandom) {
      place = begin + static_cast<int>(random.below(static_cast<uint64_t>(end - begin)));
    }
    tree.actions.push_back(sentence[static_cast<size_t>(place)]);
    tree.positions.push_back(place);
    tree.depth = std::max(tree.depth, depth);
    queue.push_back({begin, place, depth + 1});
    queue.push_back({place + 1, end, depth + 1});
  }
  return tree;
}

/// Thousands of trees: every form over no, one, two … 200 words, with and without duplicates.
template <typename Check>
void for_random_trees(Check check) {
  RandomStream random(1, Purpose::kTest, 77);
  for (TreeForm form :
       {TreeForm::kLeftChain, TreeForm::kRightChain, TreeForm::kZigzag, TreeForm::kMiddle}) {
    for (int words : {0, 1, 2, 3, 7, 8, 31, 200}) {
      check(gold_tree(random_sentence(random, words, 50), form, random));
    }
  }
  for (int i = 0; i < 3000; ++i) {
    check(gold_tree(random_sentence(random), TreeForm::kRandom, random));
  }
}

}  // namespace bough
