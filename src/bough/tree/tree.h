// The binary tree that a sentence is written as.
//
// A tree grows by actions. Its open slots form a queue; an action fills the front slot, with a word
// (whose open sides become slots behind the queue's end: both, or as shape.h says) or with <end>.
// So step t fills slot t, and the actions are the tree's level order. Laws (see
// tests/core/tree_test.cc):
//
//   - a tree is complete when no slot is open; N words take 2N+1 actions where all sides are open,
//     and N where those alone are that have words
//   - actions → tree → actions and (words in order, positions in level order) → tree are one to one
//   - reading the nodes in order gives the sentence
//   - the slot's two bounds are its neighbours in the sentence so far
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bough/text/vocabulary.h"
#include "bough/tree/shape.h"

namespace bough {

enum class Side : int8_t { kRoot, kLeft, kRight };

/// What fills a slot: a word with its open sides, or <end>.
struct Action {
  WordId word = kEnd;
  Sides open = Sides::kBoth;

  bool operator==(const Action&) const = default;
};

class Tree {
 public:
  static constexpr int kNone = -1;

  /// A place where a word or <end> goes. `left` and `right` are the nodes that stand next to it in
  /// the sentence so far (kNone at the sentence's ends).
  struct Slot {
    int parent = kNone;
    Side side = Side::kRoot;
    int depth = 0;
    int left = kNone;
    int right = kNone;
    uint64_t path = 0;  // bit i: the i-th last step from the root, 1 to the right; the last 64
    int node = kNone;   // what fills it: kNone while it is open, and for <end>
  };

  /// A word in the tree. Nodes are numbered in level order; `step` is the slot it fills.
  struct Node {
    WordId word = 0;
    int step = 0;
    int left_child = kNone;
    int right_child = kNone;
    Sides open = Sides::kBoth;
  };

  Tree() : slots_(1) {}

  /// Reads actions; they may stop before the tree is complete. Throws DataError if they go on
  /// after it.
  static Tree from_actions(std::span<const WordId> actions, WordId end);

  /// The tree with these words, in sentence order, whose node i (in level order) stands at place
  /// positions[i] of the sentence. Throws DataError where `positions` is no level order.
  static Tree from_positions(std::span<const WordId> words, std::span<const int> positions,
                             Shape shape = Shape::kEnd);

  /// Fill the front slot; the tree must not be complete. add_word gives the new node.
  int add_word(WordId word, Sides open = Sides::kBoth);
  void add_end();

  bool complete() const { return steps_ == static_cast<int>(slots_.size()); }
  int steps() const { return steps_; }
  int word_count() const { return static_cast<int>(nodes_.size()); }
  int open_slots() const { return static_cast<int>(slots_.size()) - steps_; }

  const Node& node(int id) const { return nodes_[static_cast<size_t>(id)]; }
  std::span<const Node> nodes() const { return nodes_; }
  const Slot& slot(int step) const { return slots_[static_cast<size_t>(step)]; }
  const Slot& front_slot() const { return slot(steps_); }
  const Slot& slot_of(const Node& node) const { return slot(node.step); }

  /// What was done at a step, with `end` for <end>.
  Action action(int step, WordId end = kEnd) const {
    int id = slot(step).node;
    return id == kNone ? Action{end} : Action{node(id).word, node(id).open};
  }

  /// The words and <end>s taken so far, with `end` for <end>.
  std::vector<WordId> actions(WordId end) const;

  /// Node ids in sentence order.
  std::vector<int> in_order() const;

  /// The words in sentence order.
  std::vector<WordId> sentence() const;

  /// The place in the sentence of each node, in level order: with the words, it is the whole tree.
  std::vector<int> positions() const;

  /// The largest depth of a node; -1 for a tree without words.
  int depth() const { return nodes_.empty() ? -1 : slot_of(nodes_.back()).depth; }

 private:
  std::vector<Slot> slots_;  // filled ones first, then the open ones
  std::vector<Node> nodes_;
  int steps_ = 0;
};

}  // namespace bough
