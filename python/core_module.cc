// bough._bough: what needs no tensors. bough._bough_nn has the rest: whoever computes a BLEU or
// looks at trees doesn't load LibTorch.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "array_view.h"
#include "bough/analysis/tagger.h"
#include "bough/base/safetensors.h"
#include "bough/base/version.h"
#include "bough/bough.h"
#include "bough/text/european_tokenizer.h"
#include "convert.h"
#include "errors.h"
#include "options_of.h"
#include "oracle_type.h"
#include "sentence_type.h"
#include "tree_type.h"

namespace py = pybind11;

namespace bough::python {

namespace {

struct Question {
  std::vector<std::string> hypotheses;
  std::vector<std::vector<std::string>> references;
  NamedOptions options;

  Question(py::handle lines, const py::iterable& files, const py::dict& keywords)
      : hypotheses(to_texts(lines, "hypotheses")), options(to_options(keywords)) {
    for (py::handle file : files) references.push_back(to_texts(file, "references"));
  }
};

py::tuple evaluate_text(const std::string& metric, py::handle lines, const py::iterable& files,
                        const py::dict& keywords) {
  Question question(lines, files, keywords);
  MetricScore found;
  {
    py::gil_scoped_release released;
    found = evaluate(metric, question.hypotheses, std::move(question.references), question.options);
  }
  return py::make_tuple(to_str(found.name), found.score, to_str(found.signature));
}

py::array evaluate_each(const std::string& metric, py::handle lines, const py::iterable& files,
                        const py::dict& keywords) {
  Question question(lines, files, keywords);
  std::vector<double> scores;
  {
    py::gil_scoped_release released;
    scores = evaluate_sentences(metric, question.hypotheses, std::move(question.references),
                                question.options);
  }
  return array_of(std::move(scores));
}

constexpr const char* kTaggerDoc =
    R"(A part-of-speech tagger: universal tags for the words of a sentence.

Without a file, the one for English that comes with bough.

>>> import bough
>>> bough.Tagger().tag(["she", "has", "a", "dog", "."])
['PRON', 'VERB', 'DET', 'NOUN', 'PUNCT']
)";

Tagger load_tagger(const py::object& file) {
  return Tagger::load(file.is_none() ? default_tagger_path() : fs::path(to_path(file)));
}

/// Of words as people read them, be they a model's tokens.
py::list tag_words(const Tagger& tagger, py::handle tokens) {
  std::vector<std::string> words = to_texts(tokens, "words");
  for (std::string& word : words) word = shown_token(word);
  py::list tags;
  for (UniversalTag tag : tagger.tag(words)) tags.append(to_str(name_of(tag)));
  return tags;
}

/// What an empty text gives: one <end>.
std::shared_ptr<SentenceObject> empty_sentence() {
  Sentence sentence;
  sentence.trace.tree.add_end();
  sentence.trace.scores.emplace_back();
  return std::make_shared<SentenceObject>(std::move(sentence));
}

/// Arrays by name as a safetensors file, in single precision.
void write_weights(const std::string& path, const py::dict& weights) {
  using Floats = py::array_t<float, py::array::c_style | py::array::forcecast>;
  std::vector<Floats> kept;  // what the entries look at
  std::vector<TensorEntry> entries;
  for (const auto& [name, numbers] : weights) {
    Floats& own = kept.emplace_back(Floats::ensure(numbers));
    if (!own) throw py::error_already_set();
    entries.push_back(
        {.name = to_text(name, "a weight's name"),
         .dtype = "F32",
         .shape = {own.shape(), own.shape() + own.ndim()},
         .bytes = {reinterpret_cast<const char*>(own.data()), static_cast<size_t>(own.nbytes())}});
  }
  write_safetensors(path, entries, {});
}

py::list metric_names() {
  py::list names;
  for (const auto& [kind, name] : EnumNames<MetricKind>::kNames) names.append(to_str(name));
  return names;
}

}  // namespace

}  // namespace bough::python

PYBIND11_MODULE(_bough, module) {
  using namespace bough::python;
  translate_errors();
  add_tree_type(module);
  add_sentence_type(module);
  add_oracle_types(module);
  module.attr("version") = to_str(bough::version());
  module.def("evaluate", &evaluate_text);
  module.def("evaluate_sentences", &evaluate_each);
  module.def("metric_names", &metric_names);
  module.def("write_weights", &write_weights);
  module.def("options", &options_of_verb);
  module.def("empty_sentence", &empty_sentence);
  py::class_<bough::Tagger>(module, "Tagger", kTaggerDoc)
      .def(py::init(&load_tagger), py::arg("file") = py::none())
      .def("tag", &tag_words, py::arg("words"), "A tag for each word.")
      .def("__repr__", [](const bough::Tagger& tagger) {
        return py::str("<Tagger of {} words>").format(tagger.word_count());
      });
}
