#include "server/models.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "bough/base/error.h"
#include "bough/base/utf8.h"
#include "bough/bench/arithmetic.h"
#include "bough/data/shipped_models.h"
#include "bough/model/policy.h"
#include "run_names.h"

namespace bough::server {

namespace {

/// Trees of sentences that are scored side by side.
constexpr int64_t kScoringRows = 256;

bool takes(const ServedModel& model, std::string_view verb) {
  return verb == "score" || verb == "tokenize" ||
         traits_of(model.model().config.task).has_verb(verb);
}

}  // namespace

std::vector<std::string> default_models() {
  std::vector<std::string> folders;
  for (const ShippedModel& model : shipped_models()) folders.push_back(model.folder);
  return folders;
}

Models::Models(const ModelOptions& options, BatchWorker& worker) {
  std::vector<std::string> folders = options.folders.empty() ? default_models() : options.folders;
  if (folders.empty()) throw UsageError("--model is missing: the folder of a model to serve");
  std::vector<std::string> names = cli::tell_apart(folders, cli::name_of_folder);
  for (size_t i = 0; i < folders.size(); ++i) {
    ServedModel& served = models_.emplace_back();
    served.name = names[i];
    served.open = ask::open_model(folders[i], options.device, options.precision);
    served.open.name = served.name;
    if (ask::has_shortlist(served.open)) served.open.shortlist = ask::load_shortlist(served.open);
    std::shared_ptr<const Model> model = served.open.model;
    served.step_flops = sentence_flops(model->config.policy, model->text.vocabulary.size(), 1.0);
    auto make = [model, precision = served.open.precision] {
      return model->policy->stepper({.precision = precision});
    };
    served.writing = worker.add_batch(make, options.batch_size);
    served.listed = worker.add_batch(make, options.batch_size);
    served.scoring = worker.add_batch(make, std::max(kScoringRows, options.batch_size));
    spdlog::info("model '{}': --task {}, {} words", served.name, name_of(model->config.task),
                 model->text.vocabulary.size());
  }
}

const ServedModel& Models::find(const std::string& name, std::string_view verb) const {
  std::string names;
  for (const ServedModel& model : models_) {
    if (name.empty() ? takes(model, verb) : model.name == name) return model;
    names += (names.empty() ? "" : ", ") + model.name;
  }
  if (name.empty()) {
    throw HttpError(404, fmt::format("no model here can {}; there are: {}", verb, names));
  }
  throw HttpError(404,
                  fmt::format("there is no model '{}'; there are: {}", for_message(name), names));
}

Json Models::list() const {
  Json data = Json::array();
  for (const ServedModel& served : models_) {
    const TaskTraits& task = traits_of(served.model().config.task);
    Json verbs = Json::array({"score", "tokenize"});
    for (std::string_view verb : task.verbs) {
      if (verb.find(' ') == std::string_view::npos) verbs.push_back(verb);
    }
    data.push_back({{"id", served.name},
                    {"object", "model"},
                    {"created", 0},
                    {"owned_by", "bough"},
                    {"task", name_of(task.task)},
                    {"verbs", verbs},
                    {"words", served.model().text.vocabulary.size()},
                    {"parameters", served.model().parameter_count()},
                    {"shortlist", served.open.shortlist != nullptr}});
  }
  return {{"object", "list"}, {"data", data}};
}

}  // namespace bough::server
