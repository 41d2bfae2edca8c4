#include "options_of.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bough/ask/score_options.h"
#include "bough/ask/writing_options.h"
#include "bough/base/error.h"
#include "bough/base/options_json.h"
#include "bough/base/utf8.h"
#include "bough/metrics/evaluate.h"
#include "bough/train/train_options.h"
#include "convert.h"
#include "oracle_type.h"

namespace py = pybind11;

namespace bough::python {

namespace {

const char* kind_name(Option::Kind kind) {
  switch (kind) {
    case Option::Kind::kFlag:
      return "flag";
    case Option::Kind::kInteger:
      return "integer";
    case Option::Kind::kNumber:
      return "number";
    case Option::Kind::kText:
      return "text";
    case Option::Kind::kChoice:
      return "choice";
    case Option::Kind::kList:
      return "list";
  }
  return "?";
}

template <typename Options>
py::list options_of() {
  Options options;
  OptionSet set;
  options.declare(set);
  py::list list;
  for (const Option& option : set.options()) {
    std::string name = option.name;
    std::ranges::replace(name, '-', '_');
    py::dict entry;
    entry["name"] = to_str(name);
    entry["kind"] = kind_name(option.kind);
    entry["help"] = to_str(option.help);
    entry["allowed"] = to_str(option.allowed);
    entry["default"] = to_python(json_of(option.initial));
    entry["group"] = to_str(option.group);
    entry["required"] = option.required;
    list.append(entry);
  }
  return list;
}

/// What a metric's function takes.
struct MetricQuestion {
  EvaluationOptions options;
  int64_t threads = 0;

  void declare(OptionSet& set) {
    options.declare(set);
    set.integer("threads", threads, {0, 4096}, "threads to compute with; 0: all cores");
  }
};

}  // namespace

py::list options_of_verb(const std::string& verb) {
  if (verb == "generate") return options_of<ask::GenerateOptions>();
  if (verb == "complete") return options_of<ask::CompleteOptions>();
  if (verb == "reorder") return options_of<ask::ReorderOptions>();
  if (verb == "translate") return options_of<ask::TranslateOptions>();
  if (verb == "score") return options_of<ask::ScoreOptions>();
  if (verb == "train") return options_of<TrainOptions>();
  if (verb == "metrics") return options_of<MetricQuestion>();
  if (verb == "oracle") return options_of<WalkOptions>();
  throw UsageError(
      "there are options of generate, complete, reorder, translate, score, train, metrics and "
      "oracle, not of '{}'",
      for_message(verb));
}

}  // namespace bough::python
