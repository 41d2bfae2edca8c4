// What a policy can be told before it fills a slot: the action before, with the sides that it
// opened, and where the slot is.
//
// The action alone is what the paper's policy reads; which slot comes next it has to find out by
// counting. The tree knows: a slot is a gap between two words of the sentence so far (or its ends),
// and has an address, the path from the root. Neither changes as the tree grows elsewhere.
#pragma once

#include <span>

#include "bough/tree/tree.h"

namespace bough {

/// What a sentence is written from: the words of a bag, or nothing for a language model. A view.
using SourceIds = std::span<const WordId>;

struct StepInput {
  WordId action = kStart;     // the one before
  Sides open = Sides::kBoth;  // its open sides
  WordId left = kStart;       // the word before the gap, or kStart
  WordId right = kBagEnd;     // the word behind it, or kBagEnd
  int depth = 0;              // steps from the root
  uint64_t path = 0;          // bit i: the i-th last of these steps, 1 to the right; the last 64
};

/// For the slot that `step` fills, of those that the tree has; `start` is read before the first
/// action, `end` for <end>.
inline StepInput step_input(const Tree& tree, int step, WordId start = kStart, WordId end = kEnd) {
  const Tree::Slot& slot = tree.slot(step);
  Action before = step == 0 ? Action{start} : tree.action(step - 1, end);
  StepInput input{
      .action = before.word, .open = before.open, .depth = slot.depth, .path = slot.path};
  if (slot.left != Tree::kNone) input.left = tree.node(slot.left).word;
  if (slot.right != Tree::kNone) input.right = tree.node(slot.right).word;
  return input;
}

/// For the front slot.
inline StepInput step_input(const Tree& tree) {
  return step_input(tree, tree.steps());
}

}  // namespace bough
