#include "tree_type.h"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "array_view.h"
#include "bough/analysis/report_page.h"
#include "bough/analysis/svg.h"
#include "bough/analysis/tree_picture.h"
#include "bough/analysis/tree_player.h"
#include "bough/base/error.h"
#include "bough/text/european_tokenizer.h"
#include "bough/text/tokenizer.h"
#include "bough/tree/draw.h"
#include "convert.h"

namespace py = pybind11;

namespace bough::python {

namespace {

using TreeHandle = std::shared_ptr<TreeObject>;

TreeHandle make_tree(Trace&& trace) {
  return std::make_shared<TreeObject>(std::make_shared<const Trace>(std::move(trace)));
}

/// Words are numbered by node.
TreeHandle tree_from_actions(const py::iterable& actions) {
  Trace trace;
  for (py::handle action : actions) {
    if (trace.tree.complete()) {
      throw DataError("{} actions make a whole tree, and there are more", trace.tree.steps());
    }
    if (action.is_none()) {
      trace.tree.add_end();
    } else {
      trace.tree.add_word(trace.tree.word_count());
      trace.texts.push_back(to_text(action, "an action"));
    }
  }
  return make_tree(std::move(trace));
}

Shape shape_named(const std::string& name) {
  Shape shape = Shape::kEnd;
  OptionSet set;
  set.choice("shape", shape, "");
  set.set("shape", name, "'shape'");
  return shape;
}

TreeHandle tree_from_positions(const py::object& tokens, const std::vector<int>& positions,
                               const std::string& shape) {
  std::vector<std::string> words = to_texts(tokens, "tokens");
  std::vector<WordId> numbers(words.size());
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<WordId>(i);
  Trace trace;
  trace.tree = Tree::from_positions(numbers, positions, shape_named(shape));
  for (const Tree::Node& node : trace.tree.nodes()) {
    trace.texts.push_back(words[static_cast<size_t>(node.word)]);
  }
  return make_tree(std::move(trace));
}

TreeHandle tree_from_trace(const py::dict& trace) {
  return make_tree(trace_from_json(to_json(trace)));
}

/// What was done at each step, None for <end>.
py::list actions_of(const TreeObject& object) {
  const Tree& tree = object.tree();
  py::list actions(static_cast<size_t>(tree.steps()));
  for (int step = 0; step < tree.steps(); ++step) {
    int node = tree.slot(step).node;
    actions[static_cast<size_t>(step)] =
        node == Tree::kNone ? py::object(py::none())
                            : to_str(object.trace().texts[static_cast<size_t>(node)]);
  }
  return actions;
}

/// Equal words at equal places with equal open sides.
bool same_tree(const TreeObject& one, const TreeObject& other) {
  if (one.tree().steps() != other.tree().steps() || one.trace().texts != other.trace().texts) {
    return false;
  }
  for (int id = 0; id < one.tree().word_count(); ++id) {
    const Tree::Node& node = one.tree().node(id);
    const Tree::Node& same = other.tree().node(id);
    if (node.step != same.step || node.open != same.open) return false;
  }
  return true;
}

/// Words as people read them.
std::string drawing(const TreeObject& object) {
  std::vector<std::string> labels;
  for (const std::string& token : object.trace().texts) labels.push_back(shown_token(token));
  return draw_tree(object.tree(), labels);
}

std::string picture(const TreeObject& object) {
  return draw_svg(object.trace());
}

template <typename Number>
py::bytes bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

template <typename Number>
std::vector<Number> numbers_of(py::handle bytes) {
  std::string text = py::cast<std::string>(bytes);
  std::vector<Number> numbers(text.size() / sizeof(Number));
  std::memcpy(numbers.data(), text.data(), numbers.size() * sizeof(Number));
  return numbers;
}

constexpr std::array<int8_t, 3> kSideNumbers = {0, -1, 1};  // root, left, right

constexpr int8_t kEndMark = -1;  // in the place of open sides: the step says <end>

template <typename Column>
auto column(std::vector<Column> TreeColumns::*field) {
  return [field](const py::object& self) {
    return array_view(self.cast<const TreeObject&>().columns().*field, self);
  };
}

}  // namespace

TreeColumns::TreeColumns(const Tree& tree) {
  positions = tree.positions();
  for (const Tree::Node& node : tree.nodes()) {
    const Tree::Slot& slot = tree.slot_of(node);
    parents.push_back(slot.parent);
    sides.push_back(kSideNumbers[static_cast<size_t>(slot.side)]);
    depths.push_back(slot.depth);
    steps.push_back(node.step);
    left_children.push_back(node.left_child);
    right_children.push_back(node.right_child);
  }
}

py::tuple state_of(const Trace& trace) {
  const Tree& tree = trace.tree;
  std::vector<int32_t> words;
  std::vector<int8_t> open;
  for (int step = 0; step < tree.steps(); ++step) {
    Action action = tree.action(step);
    bool end = tree.slot(step).node == Tree::kNone;
    words.push_back(action.word);
    open.push_back(end ? kEndMark : static_cast<int8_t>(action.open));
  }
  std::vector<double> scores;
  py::list alternatives;
  for (size_t step = 0; step < trace.scores.size(); ++step) {
    const StepScore& score = trace.scores[step];
    scores.push_back(score.logprob);
    scores.push_back(score.entropy);
    for (const Alternative& other : score.alternatives) {
      alternatives.append(py::make_tuple(step, other.word, other.logprob, to_str(other.text)));
    }
  }
  py::list given;
  for (bool one : trace.given) given.append(one);
  return py::make_tuple(to_list(trace.texts), bytes_of(words), bytes_of(open), bytes_of(scores),
                        alternatives, given, to_str(trace.text), trace.finished, trace.vocabulary);
}

std::shared_ptr<const Trace> trace_from_state(const py::tuple& state) {
  if (state.size() != 9) throw DataError("this was pickled by another version of bough");
  auto trace = std::make_shared<Trace>();
  trace->texts = to_texts(state[0], "words");
  auto words = numbers_of<int32_t>(state[1]);
  auto open = numbers_of<int8_t>(state[2]);
  for (size_t step = 0; step < std::min(words.size(), open.size()); ++step) {
    if (trace->tree.complete()) break;
    if (open[step] == kEndMark) {
      trace->tree.add_end();
    } else {
      trace->tree.add_word(words[step], static_cast<Sides>(open[step] & 3));
    }
  }
  auto scores = numbers_of<double>(state[3]);
  for (size_t i = 0; i + 1 < scores.size(); i += 2) {
    trace->scores.push_back({.logprob = scores[i], .entropy = scores[i + 1]});
  }
  for (py::handle entry : state[4]) {
    auto other = entry.cast<py::tuple>();
    trace->scores.at(other[0].cast<size_t>())
        .alternatives.push_back({.word = other[1].cast<WordId>(),
                                 .logprob = other[2].cast<double>(),
                                 .text = to_text(other[3], "a word")});
  }
  for (py::handle one : state[5]) trace->given.push_back(one.cast<bool>());
  trace->text = to_text(state[6], "text");
  trace->finished = state[7].cast<bool>();
  trace->vocabulary = state[8].cast<int64_t>();
  size_t nodes = static_cast<size_t>(trace->tree.word_count());
  bool fits = static_cast<size_t>(trace->tree.steps()) == words.size() &&
              open.size() == words.size() && trace->texts.size() == nodes &&
              (trace->scores.empty() || trace->scores.size() == words.size()) &&
              (trace->given.empty() || trace->given.size() == nodes);
  if (!fits) throw DataError("what was pickled is damaged: its parts don't fit together");
  return trace;
}

std::string html_frame(const Trace& trace) {
  // Frames don't grow with what is in them: room for the controls, the rows of the tree, and what
  // is said of a word.
  constexpr int kControls = 170;
  constexpr int kRow = 62;
  constexpr int kLeast = 380;
  int height = std::max(kLeast, kControls + kRow * (trace.tree.depth() + 1));
  // The page's style is for a page: in a frame it leaves the notebook's own alone.
  std::string page = fmt::format("<style>\n{}</style>\n{}<script>\n{}</script>\n", page_style(),
                                 tree_player(trace, true), page_script());
  return fmt::format(
      "<iframe srcdoc=\"{}\" style=\"width: 100%; height: {}px; border: 0\"></iframe>",
      escape_xml(page), height);
}

constexpr const char* kTreeDoc =
    R"(A sentence as a binary tree: each word has words to its left and to its right below it.

Arrays have a number for each word, in the order of writing (`words`). They look at memory of the
tree, without a copy; nobody can write to them.

>>> import bough
>>> tree = bough.Tree.from_positions(["how", "are", "you", "?"], [1, 0, 3, 2])
>>> print(tree)
 .--are-----.
how      .--?
        you
<BLANKLINE>
>>> tree.words, tree.tokens
(['are', 'how', '?', 'you'], ['how', 'are', 'you', '?'])
>>> tree.parents, tree.sides, tree.depths
(array([-1,  0,  0,  2], dtype=int32), array([ 0, -1,  1, -1], dtype=int8), array([0, 1, 1, 2], dtype=int32))
>>> bough.Tree.from_actions(tree.actions) == tree
True
)";

void add_tree_type(py::module_& module) {
  using Self = const TreeObject&;
  py::class_<TreeObject, TreeHandle>(module, "Tree", kTreeDoc)
      .def_static("from_positions", &tree_from_positions, py::arg("tokens"), py::arg("positions"),
                  py::kw_only(), py::arg("shape") = "end",
                  "The tree of `tokens`, in sentence order, whose words were written at "
                  "`positions`, one after the other. `shape`: end or arity (docs/formats.md).")
      .def_static(
          "from_actions", &tree_from_actions, py::arg("actions"),
          "The tree that words, and None for <end>, make; they may stop before it is whole.")
      .def_static("from_trace", &tree_from_trace, py::arg("trace"),
                  "The tree of a trace: a line of `bough generate --format jsonl`, as a dict.")
      .def_property_readonly("parents", column(&TreeColumns::parents),
                             "The word above; -1 for the first.")
      .def_property_readonly("sides", column(&TreeColumns::sides),
                             "-1: left of its parent, 1: right of it, 0: the first word.")
      .def_property_readonly("depths", column(&TreeColumns::depths), "Edges from the first word.")
      .def_property_readonly("positions", column(&TreeColumns::positions),
                             "Places in the sentence.")
      .def_property_readonly("steps", column(&TreeColumns::steps), "Places among the actions.")
      .def_property_readonly("left_children", column(&TreeColumns::left_children),
                             "The word below on the left; -1: none.")
      .def_property_readonly("right_children", column(&TreeColumns::right_children),
                             "The word below on the right; -1: none.")
      .def_property_readonly(
          "words", [](Self self) { return to_list(self.trace().texts); },
          "The words in the order of writing.")
      .def_property_readonly(
          "tokens", [](Self self) { return to_list(self.trace().sentence()); },
          "The words in the order of reading.")
      .def_property_readonly("actions", &actions_of,
                             "What was done at each step: a word, or None for <end>.")
      .def_property_readonly(
          "depth", [](Self self) { return self.tree().depth(); },
          "The largest of `depths`; -1 for a tree without words.")
      .def_property_readonly(
          "complete", [](Self self) { return self.tree().complete(); }, "Whether no slot is open.")
      .def("svg", &picture, "A picture.")
      .def(
          "dot", [](Self self) { return draw_dot(self.trace()); }, "For Graphviz.")
      .def("_repr_svg_", &picture)
      .def("_repr_html_", [](Self self) { return html_frame(self.trace()); })
      .def("__len__", [](Self self) { return self.tree().word_count(); })
      .def("__str__", &drawing)
      .def("__repr__",
           [](Self self) {
             return py::str("<Tree of {} words, {} deep: {!r}>")
                 .format(self.tree().word_count(), self.tree().depth() + 1,
                         to_str(join_words(self.trace().sentence())));
           })
      .def("__eq__", &same_tree, py::is_operator())
      .def(py::pickle([](Self self) { return state_of(self.trace()); },
                      [](const py::tuple& state) {
                        return std::make_shared<TreeObject>(trace_from_state(state));
                      }));
}

}  // namespace bough::python
