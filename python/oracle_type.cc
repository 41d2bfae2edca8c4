#include "oracle_type.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "array_view.h"
#include "bough/base/error.h"
#include "bough/base/named_options.h"
#include "bough/base/utf8.h"
#include "bough/oracle/trajectory.h"
#include "bough/oracle/walk.h"
#include "bough/text/bpe_codes.h"
#include "convert.h"
#include "tree_type.h"

namespace py = pybind11;

namespace bough::python {

namespace {

/// Numbers for the words of some sentences, in the order in which they come.
class Words {
 public:
  Words() : texts_(std::begin(kSpecialNames), std::end(kSpecialNames)) {}

  WordId number(const std::string& text) {
    auto [entry, is_new] = numbers_.emplace(text, static_cast<WordId>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return entry->second;
  }
  /// Of a text, which is split at spaces, or of a list of words.
  std::vector<WordId> numbers(py::handle sentence) {
    std::vector<WordId> all;
    if (py::isinstance<py::str>(sentence)) {
      std::string text = to_text(sentence, "a sentence");
      for (std::string_view word : split_at_white_space(text))
        all.push_back(number(std::string(word)));
    } else {
      for (const std::string& word : to_texts(sentence, "a sentence")) all.push_back(number(word));
    }
    return all;
  }

  const std::vector<std::string>& texts() const { return texts_; }
  /// The pieces that end within a word, by the separator.
  std::vector<WordId> unfinished() const {
    std::vector<WordId> pieces;
    for (size_t i = kSpecials; i < texts_.size(); ++i) {
      if (texts_[i].ends_with(kBpeSeparator)) pieces.push_back(static_cast<WordId>(i));
    }
    return pieces;
  }
  /// None for <end>.
  py::object text(WordId word) const {
    return word == kEnd ? py::object(py::none()) : to_str(texts_[static_cast<size_t>(word)]);
  }

 private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, WordId> numbers_;
};

struct OracleObject {
  WalkOptions options;

  OracleObject(const std::string& kind, const py::kwargs& keywords) {
    OptionSet set;
    options.declare(set);
    NamedOptions named = to_options(keywords);
    named["oracle"] = kind;
    set_by_name(set, named);
    if (options.oracle.oracle == OracleKind::kContentFirst) {
      throw UsageError("content-first goes by the frequencies of a model's vocabulary");
    }
  }

  std::unique_ptr<const Oracle> oracle_of(const Words& words) const {
    return make_oracle(options.oracle, words.unfinished());
  }
  Walk walk(std::span<const WordId> sentence, const Oracle& oracle) const {
    return {sentence, oracle, options.oracle.duplicates, options.shape};
  }
};

/// A walk, with what it refers to.
class WalkObject {
 public:
  WalkObject(const OracleObject& oracle, py::handle sentence, uint64_t seed)
      : random_(seed, Purpose::kRollIn),
        numbers_(words_.numbers(sentence)),
        oracle_(oracle.oracle_of(words_)),
        walk_(oracle.walk(numbers_, *oracle_)) {}

  bool done() const { return walk_.done(); }
  int due() const { return done() ? 0 : walk_.due_at(walk_.tree().steps()); }

  std::span<const ValidAction> valid() const {
    if (done()) return {};
    return walk_.valid();
  }
  py::object text(WordId word) const { return words_.text(word); }

  /// Right or wrong; None is <end>.
  void take(py::handle action) {
    check_not_done();
    WordId word = action.is_none() ? kEnd : words_.number(to_text(action, "an action"));
    bool right = std::ranges::any_of(
        valid(), [&](const ValidAction& answer) { return answer.action.word == word; });
    if (!right && word == kEnd) {
      throw UsageError("<end> would lose the {} words that belong into this slot", due());
    }
    if (!right && !walk_.may_err()) {
      throw UsageError(
          "'{}' is wrong here, and a walk takes at most as many wrong words as its sentence has "
          "right ones",
          for_message(words_.texts()[static_cast<size_t>(word)]));
    }
    walk_.take_action(word, random_);
  }

  py::object draw() {
    check_not_done();
    walk_.take(walk_.draw(random_), random_);
    return text(walk_.action_at(walk_.tree().steps() - 1).word);
  }

  std::shared_ptr<TreeObject> tree() const {
    Trace trace;
    trace.tree = walk_.tree();
    for (const Tree::Node& node : trace.tree.nodes()) {
      trace.texts.push_back(words_.texts()[static_cast<size_t>(node.word)]);
    }
    return std::make_shared<TreeObject>(std::make_shared<const Trace>(std::move(trace)));
  }

 private:
  void check_not_done() const {
    if (done()) throw UsageError("the walk is done: its tree is complete");
  }

  Words words_;
  RandomStream random_;
  std::vector<WordId> numbers_;
  std::unique_ptr<const Oracle> oracle_;
  Walk walk_;
};

py::list valid_list(const WalkObject& walk) {
  py::object make = py::module_::import("bough.results").attr("ValidAction");
  py::list list;
  for (const ValidAction& answer : walk.valid()) {
    Sides open = answer.action.open;
    bool word = answer.action.word != kEnd;
    list.append(make(walk.text(answer.action.word), answer.weight, answer.count,
                     word && opens_left(open), word && opens_right(open)));
  }
  return list;
}

py::array weights_of(const WalkObject& walk) {
  std::vector<float> weights;
  for (const ValidAction& answer : walk.valid()) weights.push_back(answer.weight);
  return array_of(std::move(weights));
}

struct TrajectoryObject {
  Words words;
  Trajectory packed;
};

/// Trees of each sentence, all of one sentence one behind the other, drawn by the oracle's weights.
std::shared_ptr<TrajectoryObject> trajectories(const OracleObject& oracle,
                                               const py::iterable& sentences, uint64_t seed,
                                               int64_t trees) {
  if (trees < 1) throw UsageError("'trees' takes 1 or more, not {}", trees);
  auto result = std::make_shared<TrajectoryObject>();
  std::vector<std::vector<WordId>> numbers;
  for (py::handle sentence : sentences) numbers.push_back(result->words.numbers(sentence));
  if (numbers.empty()) throw DataError("there are no sentences to walk");
  std::unique_ptr<const Oracle> fixed = oracle.oracle_of(result->words);
  py::gil_scoped_release released;
  std::vector<Walk> walks;
  for (size_t i = 0; i < numbers.size(); ++i) {
    for (int64_t tree = 0; tree < trees; ++tree) {
      Walk& walk = walks.emplace_back(oracle.walk(numbers[i], *fixed));
      RandomStream random(seed, Purpose::kRollIn, static_cast<uint64_t>(tree), i);
      while (!walk.done()) walk.take(walk.draw(random), random);
    }
  }
  result->packed = pack(walks);
  return result;
}

/// A list of the trajectory as an array.
template <typename Class, typename Number>
auto rows(std::vector<Number> Class::*field) {
  return [field](const py::object& self) {
    const Trajectory& packed = self.cast<const TrajectoryObject&>().packed;
    return array_view(packed.*field, self);
  };
}

/// What the policy reads before each action.
template <typename Number>
auto inputs(Number StepInput::*field) {
  return [field](const py::object& self) {
    std::span<const StepInput> input = self.cast<const TrajectoryObject&>().packed.input;
    return array_view(input, field, self);
  };
}

constexpr const char* kOracleDoc =
    R"(Whom a policy imitates: what is right at each slot of a tree under way, and how right.

`oracle` is uniform, left-right, right-left, balanced, coaching or annealed (of the last two,
which mix in the policy, the fixed part); options are the oracle's of `bough train`, and `shape`.

>>> import bough
>>> oracle = bough.Oracle("balanced", balance=0.5)
>>> walk = oracle.walk("how are you ?", seed=1)
>>> [(answer.word, round(answer.weight, 3)) for answer in walk.valid]
[('how', 0.06), ('are', 0.44), ('you', 0.44), ('?', 0.06)]
>>> walk.take("are")
>>> [answer.word for answer in walk.valid]
['how']
>>> print(walk.finish().tokens)
['how', 'are', 'you', '?']
>>> bough.Oracle("annealed", beta_rate=0.25).loss_beta(epoch=2)
0.5
)";

constexpr const char* kTrajectoryDoc =
    R"(Walks down the trees of some sentences, packed as training reads them.

A row is a step of a sentence. Rows are in the order of steps, within a step the sentences of most
steps first: those of step t are offset_at[t] … offset_at[t + 1]. The right answers of row r are
valid_begin[r] … valid_begin[r + 1] of the arrays `valid_…`. Numbers of words count in `words`. Arrays
look at memory of the trajectory.

>>> import bough
>>> walked = bough.Oracle("left-right").trajectories(["a b", "c"])
>>> [walked.words[action] for action in walked.actions]
['a', 'c', '<end>', '<end>', 'b', '<end>', '<end>', '<end>']
>>> walked.rows_at, walked.steps_of
(array([2, 2, 2, 1, 1]), array([5, 3]))
)";

}  // namespace

void add_oracle_types(py::module_& module) {
  using Self = const OracleObject&;
  py::class_<OracleObject, std::shared_ptr<OracleObject>>(module, "Oracle", kOracleDoc)
      .def(py::init<const std::string&, const py::kwargs&>(), py::arg("oracle") = "uniform")
      .def(
          "walk",
          [](Self self, const py::object& sentence, uint64_t seed) {
            return std::make_unique<WalkObject>(self, sentence, seed);
          },
          py::arg("sentence"), py::kw_only(), py::arg("seed") = 1,
          "A walk down the tree of a sentence: a text, which is split at spaces, or a list of "
          "words.")
      .def("trajectories", &trajectories, py::arg("sentences"), py::kw_only(), py::arg("seed") = 1,
           py::arg("trees") = 1,
           "Walks `trees` trees of each sentence, drawn by the oracle's weights.")
      .def(
          "loss_beta",
          [](Self self, int64_t epoch) { return self.options.oracle.beta_of_loss(epoch); },
          py::arg("epoch"), "The fixed oracle's share in the loss's target; epochs from 0.")
      .def(
          "rollin_beta",
          [](Self self, int64_t epoch) { return self.options.oracle.beta_of_rollin(epoch); },
          py::arg("epoch"), "The fixed oracle's share in the roll-in; epochs from 0.")
      .def_property_readonly(
          "name", [](Self self) { return to_str(name_of(self.options.oracle.oracle)); },
          "Which one it is.")
      .def("__repr__", [](Self self) {
        return py::str("<Oracle {!r}>").format(to_str(name_of(self.options.oracle.oracle)));
      });

  py::class_<WalkObject>(module, "Walk", "A walk down a sentence's tree: see `Oracle`.")
      .def_property_readonly("done", &WalkObject::done, "Whether the tree is complete.")
      .def_property_readonly("due", &WalkObject::due,
                             "How many words belong into the slot; 0: <end> is right.")
      .def_property_readonly("tree", &WalkObject::tree, "The tree so far.")
      .def_property_readonly("valid", &valid_list, "The right answers at the slot: ValidActions.")
      .def_property_readonly("weights", &weights_of, "Their weights.")
      .def("take", &WalkObject::take, py::arg("action"),
           "Takes a word, right or wrong, or None, which is <end>. Of equal words one is drawn.")
      .def("draw", &WalkObject::draw, "Takes an answer by the oracle's weights, and gives it.")
      .def(
          "finish",
          [](WalkObject& self) {
            while (!self.done()) self.draw();
            return self.tree();
          },
          "Draws until the tree is complete, and gives it.");

  py::class_<TrajectoryObject, std::shared_ptr<TrajectoryObject>>(module, "Trajectory",
                                                                  kTrajectoryDoc)
      .def("__len__", [](const TrajectoryObject& self) { return self.packed.rows(); })
      .def_property_readonly(
          "words", [](const TrajectoryObject& self) { return to_list(self.words.texts()); },
          "The texts of the words' numbers.")
      .def_property_readonly("rows_at", rows(&Trajectory::rows_at),
                             "[steps] Sentences that are still being written.")
      .def_property_readonly("offset_at", rows(&Trajectory::offset_at),
                             "[steps + 1] Where a step's rows begin.")
      .def_property_readonly("sources", rows(&Trajectory::source),
                             "[sentences] Which one it was of those given, times `trees`.")
      .def_property_readonly("steps_of", rows(&Trajectory::steps_of), "[sentences] Steps of each.")
      .def_property_readonly("actions", rows(&Trajectory::action), "[rows] What was done.")
      .def_property_readonly("sentences", rows(&Trajectory::sentence),
                             "[rows] Which sentence, as in `steps_of`.")
      .def_property_readonly("due", rows(&Trajectory::due),
                             "[rows] Words that belong into the slot.")
      .def_property_readonly(
          "taken", rows(&Trajectory::taken),
          "[rows] The place of the answer that was taken in `valid_…`; -1: it was wrong.")
      .def_property_readonly("valid_begin", rows(&Trajectory::valid_begin),
                             "[rows + 1] Where a row's right answers begin.")
      .def_property_readonly("valid_actions", rows(&Trajectory::valid_action), "The right answers.")
      .def_property_readonly("valid_counts", rows(&Trajectory::valid_count),
                             "Places of the slot's span that each stands at.")
      .def_property_readonly("valid_weights", rows(&Trajectory::valid_weight),
                             "The oracle's weights.")
      .def_property_readonly("before", inputs(&StepInput::action), "[rows] The action before.")
      .def_property_readonly("left", inputs(&StepInput::left),
                             "[rows] The word left of the slot; 0: none.")
      .def_property_readonly("right", inputs(&StepInput::right),
                             "[rows] The word right of the slot; 2: none.")
      .def_property_readonly("depths", inputs(&StepInput::depth), "[rows] The slot's depth.")
      .def_property_readonly("paths", inputs(&StepInput::path),
                             "[rows] The way to the slot: bit i is the i-th last step from the "
                             "root, 1 to the right.");
}

}  // namespace bough::python
