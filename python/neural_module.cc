// bough._bough_nn: models and training.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "bough/bough.h"
#include "bough/model/runtime.h"
#include "bough/train/import_authors.h"
#include "convert.h"
#include "growth.h"
#include "sentence_type.h"
#include "watch.h"

namespace py = pybind11;

namespace bough::python {

namespace {

/// Does the work with a listener that hears of Ctrl-C.
template <typename Work>
auto watched(const Work& work) {
  // Python's handler of signals runs in the thread that computes.
  use_signal_stack();
  Watch watch;
  decltype(work(Listener{})) result;
  watch.run([&] { result = work(Listener{.check = [&] { watch.check(); }}); });
  return result;
}

WritingOptions writing_options(const py::dict& keywords) {
  WritingOptions options;
  options.others = to_options(keywords);
  return options;
}

py::list to_objects(SentenceList&& sentences) {
  py::list list(sentences.size());
  for (size_t i = 0; i < sentences.size(); ++i) {
    list[i] = std::make_shared<SentenceObject>(std::move(sentences[i]));
  }
  return list;
}

py::list to_objects(std::vector<SentenceList>&& all) {
  py::list list(all.size());
  for (size_t i = 0; i < all.size(); ++i) list[i] = to_objects(std::move(all[i]));
  return list;
}

/// As bough.results.Score takes it.
py::dict to_dict(const Score& score) {
  py::list words;
  for (const WordScore& word : score.by_word) {
    words.append(py::make_tuple(to_str(word.token), word.without, word.other, word.with_other));
  }
  return py::dict(py::arg("text") = to_str(score.text), py::arg("logprob") = score.logprob,
                  py::arg("bound") = score.bound, py::arg("samples") = score.samples,
                  py::arg("ess") = score.ess, py::arg("low") = score.low,
                  py::arg("high") = score.high, py::arg("tokens") = score.tokens,
                  py::arg("perplexity") = score.perplexity, py::arg("exact") = score.exact,
                  py::arg("unknown") = score.unknown, py::arg("by_word") = words);
}

/// What is asked of a model that is to write: a verb, its lines or none, its options.
struct WritingQuestion {
  std::string verb;
  std::optional<std::vector<std::string>> lines;
  WritingOptions options;

  std::vector<SentenceList> ask(const LoadedModel& model, const Listener& listener) const {
    if (verb == "generate") return {model.generate(options, listener)};
    if (verb == "complete" && !lines) return {model.complete(options, listener)};
    if (verb == "complete") return model.complete(*lines, options, listener);
    if (verb == "reorder") return model.reorder(*lines, options, listener);
    return model.translate(*lines, options, listener);
  }
};

WritingQuestion question_of(const std::string& verb, const py::object& lines,
                            const py::dict& keywords) {
  WritingQuestion question{.verb = verb, .lines = {}, .options = writing_options(keywords)};
  if (!lines.is_none()) question.lines = to_texts(lines, verb);
  return question;
}

using ModelHandle = std::shared_ptr<LoadedModel>;

ModelHandle load_model(const std::string& name, const std::string& device,
                       const std::string& precision, int64_t threads) {
  ModelHandle model;
  Watch().run([&] {
    model = std::make_shared<LoadedModel>(
        name, LoadOptions{.device = device, .precision = precision, .threads = threads});
  });
  return model;
}

py::list write_sentences(const LoadedModel& model, const std::string& verb, const py::object& lines,
                         const py::dict& keywords) {
  WritingQuestion question = question_of(verb, lines, keywords);
  return to_objects(
      watched([&](const Listener& listener) { return question.ask(model, listener); }));
}

std::unique_ptr<Growth> grow(ModelHandle model, const std::string& verb, const py::object& lines,
                             const py::dict& keywords) {
  return std::make_unique<Growth>(
      [model = std::move(model), question = question_of(verb, lines, keywords)](
          const Listener& listener) { return question.ask(*model, listener); });
}

py::list score_texts(const LoadedModel& model, const py::object& texts, const py::object& sources,
                     const py::dict& keywords) {
  std::vector<std::string> lines = to_texts(texts, "score");
  ScoreOptions options;
  options.others = to_options(keywords);
  if (!sources.is_none()) options.sources = to_texts(sources, "source");
  std::vector<Score> scores =
      watched([&](const Listener& listener) { return model.score(lines, options, listener); });
  py::list list;
  for (const Score& one : scores) list.append(to_dict(one));
  return list;
}

/// As bough.results.Epoch takes it.
py::dict to_dict(const EpochFigures& figures) {
  return py::dict(py::arg("epoch") = figures.epoch, py::arg("update") = figures.update,
                  py::arg("loss") = figures.loss, py::arg("valid_loss") = figures.valid_loss,
                  py::arg("quality") = figures.quality, py::arg("best") = figures.best,
                  py::arg("beta") = figures.beta, py::arg("learning_rate") = figures.learning_rate,
                  py::arg("seconds") = figures.seconds,
                  py::arg("samples") = to_list(figures.samples));
}

void train_model(const py::dict& keywords, const py::object& on_epoch, const py::object& on_note,
                 const std::string& device, int64_t threads) {
  NamedOptions options = to_options(keywords);
  use_signal_stack();
  Watch watch;
  TrainingListener listener{.should_stop = [&] { return watch.wants_end(); }};
  if (!on_epoch.is_none()) {
    listener.on_epoch = [&](const EpochFigures& figures) {
      watch.call([&] { on_epoch(to_dict(figures)); });
    };
  }
  if (!on_note.is_none()) {
    listener.on_note = [&](const std::string& note) { watch.call([&] { on_note(to_str(note)); }); };
  }
  watch.run([&] { train(options, listener, {.device = device, .threads = threads}); });
}

void import_model(const std::string& weights, const std::string& vocabulary,
                  const py::object& options, const std::string& out, const std::string& codes,
                  bool force, const py::dict& keywords) {
  AuthorsModel request{.weights = weights,
                       .vocabulary = vocabulary,
                       .options = to_json(options),
                       .codes = codes,
                       .out = out,
                       .force = force};
  OptionSet set;
  request.tokenizer.declare(set);
  set_by_name(set, to_options(keywords));
  py::gil_scoped_release released;
  set_up_runtime(0);  // before the first tensor, which settles how LibTorch computes
  with_plain_errors([&] { import_authors(request); });
}

}  // namespace

}  // namespace bough::python

PYBIND11_MODULE(_bough_nn, module) {
  using namespace bough::python;
  // Its results are types of that one.
  py::module_::import("bough._bough");
  py::class_<bough::LoadedModel, ModelHandle>(module, "Model")
      .def(py::init(&load_model))
      .def_property_readonly("folder", &bough::LoadedModel::folder)
      .def_property_readonly("task", &bough::LoadedModel::task)
      .def_property_readonly("vocabulary_size", &bough::LoadedModel::vocabulary_size)
      .def_property_readonly("parameter_count", &bough::LoadedModel::parameter_count)
      .def("config", &bough::LoadedModel::config)
      .def("write", &write_sentences)
      .def("grow", &grow)
      .def("score", &score_texts)
      .def("tokenize", [](const bough::LoadedModel& model, const py::object& text) {
        return to_list(model.tokenize(to_text(text, "tokenize")));
      });
  py::class_<Growth>(module, "Growth")
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", &Growth::next)
      .def("close", &Growth::close)
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](Growth& self, const py::args& /*exception*/) { self.close(); });
  module.def("shipped_model_names", &bough::shipped_model_names);
  module.def("train", &train_model);
  module.def("import_authors", &import_model);
}
