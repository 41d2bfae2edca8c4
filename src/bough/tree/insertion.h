// How a word came into a sentence: what is told while a tree grows.
#pragma once

#include <cstdint>
#include <string>

#include "bough/tree/trace.h"

namespace bough {

struct Insertion {
  int64_t sentence = 0;  // which one, where there are several
  int index = 0;         // where it came to stand among the words so far
  int node = 0;          // its number in the tree
  int parent = Tree::kNone;
  Side side = Side::kRoot;
  int step = 0;
  std::string token;
  double logprob = 0.0;  // NaN where it isn't known
  bool given = false;    // by a template, not chosen
};

/// Of a node of the trace.
Insertion insertion_of(const Trace& trace, int node);

}  // namespace bough
