#include "sentence_type.h"

#include <pybind11/stl.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "array_view.h"
#include "bough/analysis/tree_picture.h"
#include "convert.h"

namespace py = pybind11;

namespace bough::python {

namespace {

using SentenceHandle = std::shared_ptr<SentenceObject>;

/// One of the policy's numbers at each step.
auto by_step(double StepScore::*field) {
  return [field](const py::object& self) {
    std::span<const StepScore> scores = self.cast<const SentenceObject&>().trace().scores;
    return array_view(scores, field, self);
  };
}

py::tuple state_of_sentence(const SentenceObject& self) {
  const Sentence& sentence = self.sentence();
  return py::make_tuple(to_str(sentence.text), to_list(sentence.tokens), sentence.logprob,
                        sentence.score, sentence.likelihood, state_of(sentence.trace));
}

SentenceHandle sentence_from_state(const py::tuple& state) {
  if (state.size() != 6) throw DataError("this was pickled by another version of bough");
  Sentence sentence;
  sentence.text = to_text(state[0], "text");
  sentence.tokens = to_texts(state[1], "tokens");
  sentence.logprob = state[2].cast<double>();
  sentence.score = state[3].cast<double>();
  sentence.likelihood = state[4].cast<std::optional<double>>();
  sentence.trace = *trace_from_state(state[5].cast<py::tuple>());
  return std::make_shared<SentenceObject>(std::move(sentence));
}

bool same_sentence(const SentenceObject& one, const SentenceObject& other) {
  return py::object(state_of_sentence(one)).equal(state_of_sentence(other));
}

/// As `--format jsonl` writes it.
py::object trace_of(const SentenceObject& self) {
  nlohmann::ordered_json json = bough::to_json(self.trace());
  if (self.sentence().likelihood) json["likelihood"] = *self.sentence().likelihood;
  return to_python(json);
}

constexpr const char* kSentenceDoc =
    R"(A sentence that a model wrote, with the tree that it was written as.

It draws itself in a notebook, step by step.

>>> import bough
>>> sentence = bough.load("english").generate(seed=1)
>>> sentence.text == str(sentence), sentence.tokens == sentence.tree.tokens
(True, True)
>>> abs(sentence.logprobs.sum() - sentence.logprob) < 1e-9
True
>>> sorted(sentence.trace)[:4]
['action_entropies', 'action_logprobs', 'actions', 'finished']
)";

}  // namespace

void add_sentence_type(py::module_& module) {
  using Self = const SentenceObject&;
  py::class_<SentenceObject, SentenceHandle>(module, "Sentence", kSentenceDoc)
      .def_property_readonly(
          "text", [](Self self) { return to_str(self.sentence().text); }, "As people read it.")
      .def_property_readonly(
          "tokens", [](Self self) { return to_list(self.sentence().tokens); },
          "The model's words, or pieces of words, in order.")
      .def_property_readonly(
          "logprob", [](Self self) { return self.sentence().logprob; },
          "Of its tree under the model, in nats, before temperature or truncation.")
      .def_property_readonly(
          "score", [](Self self) { return self.sentence().score; },
          "What lists of the best are ranked by.")
      .def_property_readonly(
          "likelihood", [](Self self) { return self.sentence().likelihood; },
          "Of the sentence, over all its trees, where it was ranked by that (rerank); or None.")
      .def_property_readonly(
          "finished", [](Self self) { return self.trace().finished; },
          "False where a bound on length or depth closed a slot.")
      .def_property_readonly("tree", &SentenceObject::tree, "The tree; it shares the memory.")
      .def_property_readonly("trace", &trace_of,
                             "All that is known, as the JSON of `bough generate --format jsonl`.")
      .def_property_readonly("logprobs", by_step(&StepScore::logprob),
                             "The log-probability of each action (`tree.steps` has the words').")
      .def_property_readonly("entropies", by_step(&StepScore::entropy),
                             "The model's entropy, in nats, before each action.")
      .def("_repr_svg_", [](Self self) { return draw_svg(self.trace()); })
      .def("_repr_html_", [](Self self) { return html_frame(self.trace()); })
      .def("__str__", [](Self self) { return to_str(self.sentence().text); })
      .def("__repr__",
           [](Self self) {
             return py::str("<Sentence {!r}, logprob {:.3f}>")
                 .format(to_str(self.sentence().text), self.sentence().logprob);
           })
      .def("__eq__", &same_sentence, py::is_operator())
      .def(py::pickle(&state_of_sentence, &sentence_from_state));
}

}  // namespace bough::python
