// bough.Tree: a tree with its words.
//
// A tree of ours is slots and nodes; Python wants a column of numbers for each thing that is known
// of a word. They are made once, when the first of them is asked for, and kept beside the tree;
// arrays are views of them.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <vector>

#include "bough/tree/trace.h"

namespace bough::python {

/// By word, in the order of writing.
struct TreeColumns {
  explicit TreeColumns(const Tree& tree);

  std::vector<int32_t> parents;  // -1: the root's
  std::vector<int8_t> sides;     // -1: left of its parent, 1: right, 0: the root
  std::vector<int32_t> depths;
  std::vector<int32_t> positions;
  std::vector<int32_t> steps;
  std::vector<int32_t> left_children;  // -1: none
  std::vector<int32_t> right_children;
};

class TreeObject {
 public:
  /// The tree and the words of a trace; its scores colour the picture.
  explicit TreeObject(std::shared_ptr<const Trace> trace) : trace_(std::move(trace)) {}

  const Trace& trace() const { return *trace_; }
  const Tree& tree() const { return trace_->tree; }

  /// Called with the GIL, which is what keeps two threads from making them.
  const TreeColumns& columns() const {
    if (!columns_) columns_.emplace(tree());
    return *columns_;
  }

 private:
  std::shared_ptr<const Trace> trace_;
  mutable std::optional<TreeColumns> columns_;
};

void add_tree_type(pybind11::module_& module);

/// What pickling keeps of a trace, all of it, and back; DataError where it is something else.
pybind11::tuple state_of(const Trace& trace);
std::shared_ptr<const Trace> trace_from_state(const pybind11::tuple& state);

/// For notebooks: the tree that can be written again step by step, in a frame of its own.
std::string html_frame(const Trace& trace);

}  // namespace bough::python
