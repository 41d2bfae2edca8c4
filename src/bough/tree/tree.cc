#include "bough/tree/tree.h"

#include "bough/base/error.h"

namespace bough {

int Tree::add_word(WordId word, Sides open) {
  int id = word_count();
  Slot slot = front_slot();
  if (slot.side == Side::kLeft) nodes_[static_cast<size_t>(slot.parent)].left_child = id;
  if (slot.side == Side::kRight) nodes_[static_cast<size_t>(slot.parent)].right_child = id;
  nodes_.push_back({.word = word, .step = steps_, .open = open});
  slots_[static_cast<size_t>(steps_)].node = id;
  if (opens_left(open)) {
    slots_.push_back({.parent = id,
                      .side = Side::kLeft,
                      .depth = slot.depth + 1,
                      .left = slot.left,
                      .right = id,
                      .path = slot.path << 1});
  }
  if (opens_right(open)) {
    slots_.push_back({.parent = id,
                      .side = Side::kRight,
                      .depth = slot.depth + 1,
                      .left = id,
                      .right = slot.right,
                      .path = slot.path << 1 | 1});
  }
  ++steps_;
  return id;
}

void Tree::add_end() {
  ++steps_;
}

Tree Tree::from_actions(std::span<const WordId> actions, WordId end) {
  Tree tree;
  for (size_t i = 0; i < actions.size(); ++i) {
    if (tree.complete()) {
      throw DataError("action {} comes after the tree is complete ({} words)", i,
                      tree.word_count());
    }
    if (actions[i] == end) {
      tree.add_end();
    } else {
      tree.add_word(actions[i]);
    }
  }
  return tree;
}

Tree Tree::from_positions(std::span<const WordId> words, std::span<const int> positions,
                          Shape shape) {
  if (words.size() != positions.size()) {
    throw DataError("{} words but {} positions", words.size(), positions.size());
  }
  // Slot t owns the places between its two bounds; it is empty when they are neighbours.
  Tree tree;
  std::vector<int> place_of_node;
  auto place = [&](int node, int outside) {
    return node == kNone ? outside : place_of_node[static_cast<size_t>(node)];
  };
  size_t next = 0;
  while (!tree.complete()) {
    int low = place(tree.front_slot().left, -1);
    int high = place(tree.front_slot().right, static_cast<int>(words.size()));
    if (high - low == 1) {
      tree.add_end();
      continue;
    }
    if (next == positions.size() || positions[next] <= low || positions[next] >= high) {
      throw DataError("the positions are not the level order of a tree (at node {})", next);
    }
    int at = positions[next++];
    place_of_node.push_back(at);
    tree.add_word(words[static_cast<size_t>(at)],
                  shape == Shape::kEnd ? Sides::kBoth : sides_of(at - low > 1, high - at > 1));
  }
  return tree;
}

std::vector<WordId> Tree::actions(WordId end) const {
  std::vector<WordId> result(static_cast<size_t>(steps_), end);
  for (const Node& node : nodes_) result[static_cast<size_t>(node.step)] = node.word;
  return result;
}

std::vector<int> Tree::in_order() const {
  std::vector<int> order;
  order.reserve(nodes_.size());
  std::vector<int> path;  // nodes whose left side is being read
  int at = nodes_.empty() ? kNone : 0;
  while (at != kNone || !path.empty()) {
    for (; at != kNone; at = node(at).left_child) path.push_back(at);
    at = path.back();
    path.pop_back();
    order.push_back(at);
    at = node(at).right_child;
  }
  return order;
}

std::vector<WordId> Tree::sentence() const {
  std::vector<WordId> words;
  words.reserve(nodes_.size());
  for (int id : in_order()) words.push_back(node(id).word);
  return words;
}

std::vector<int> Tree::positions() const {
  std::vector<int> result(nodes_.size());
  int place = 0;
  for (int id : in_order()) result[static_cast<size_t>(id)] = place++;
  return result;
}

}  // namespace bough
