// A tree drawn with letters: a row for each depth, every word in its own columns, so that reading
// the words from left to right, whatever their rows, gives the sentence.
//
//      .--are-----.
//     how      .--?
//             you
#pragma once

#include <span>
#include <string>

#include "bough/tree/tree.h"

namespace bough {

/// `texts` are the words' texts by node (level order). Lines end in '\n'; no words, no lines.
std::string draw_tree(const Tree& tree, std::span<const std::string> texts);

}  // namespace bough
