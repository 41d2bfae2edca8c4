#include "bough/ask/open_model.h"

#include "bough/base/error.h"
#include "bough/generate/settings.h"
#include "bough/model/policy.h"

namespace bough::ask {

OpenModel open_model(const std::string& folder, const std::string& device,
                     std::optional<Precision> precision) {
  OpenModel open;
  open.name = open.folder = folder;
  open.model = load_model(folder, device, precision.value_or(Precision::kFloat));
  open.precision = precision.value_or(open.model->usual_precision());
  open.settings = read_tuned_settings(folder);
  return open;
}

bool has_shortlist(const OpenModel& open) {
  return fs::exists(fs::path(open.folder) / Shortlist::kFile);
}

std::shared_ptr<const Shortlist> load_shortlist(const OpenModel& open) {
  if (!has_shortlist(open)) {
    throw DataError(
        "'{}' has no shortlist: make one with `bough shortlist --model {}`, or leave --shortlist "
        "out",
        open.name, open.folder);
  }
  return std::make_shared<const Shortlist>(Shortlist::load(fs::path(open.folder) / Shortlist::kFile,
                                                           open.model->source_text().vocabulary,
                                                           open.model->text.vocabulary));
}

void check_task(const OpenModel& open, std::string_view verb) {
  TaskKind own = open.model->config.task;
  if (traits_of(own).has_verb(verb)) return;
  throw UsageError("bough {} needs a model trained with --task {}, but '{}' is one for --task {}",
                   verb, tasks_where([&](const TaskTraits& task) { return task.has_verb(verb); }),
                   open.name, name_of(own));
}

}  // namespace bough::ask
