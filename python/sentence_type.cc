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
  return [field](py::object self) {
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

}  // namespace

void add_sentence_type(py::module_& module) {
  py::class_<SentenceObject, SentenceHandle>(module, "Sentence")
      .def_property_readonly(
          "text", [](const SentenceObject& self) { return to_str(self.sentence().text); })
      .def_property_readonly(
          "tokens", [](const SentenceObject& self) { return to_list(self.sentence().tokens); })
      .def_property_readonly("logprob",
                             [](const SentenceObject& self) { return self.sentence().logprob; })
      .def_property_readonly("score",
                             [](const SentenceObject& self) { return self.sentence().score; })
      .def_property_readonly("likelihood",
                             [](const SentenceObject& self) { return self.sentence().likelihood; })
      .def_property_readonly("finished",
                             [](const SentenceObject& self) { return self.trace().finished; })
      .def_property_readonly("tree", &SentenceObject::tree)
      .def_property_readonly(
          "trace",
          [](const SentenceObject& self) { return to_python(bough::to_json(self.trace())); })
      .def_property_readonly("logprobs", by_step(&StepScore::logprob))
      .def_property_readonly("entropies", by_step(&StepScore::entropy))
      .def("_repr_svg_", [](const SentenceObject& self) { return draw_svg(self.trace()); })
      .def("_repr_html_", [](const SentenceObject& self) { return html_frame(self.trace()); })
      .def("__str__", [](const SentenceObject& self) { return to_str(self.sentence().text); })
      .def("__repr__",
           [](const SentenceObject& self) {
             return py::str("<Sentence {!r}, logprob {:.3f}>")
                 .format(to_str(self.sentence().text), self.sentence().logprob);
           })
      .def("__eq__", &same_sentence, py::is_operator())
      .def(py::pickle(&state_of_sentence, &sentence_from_state));
}

}  // namespace bough::python
