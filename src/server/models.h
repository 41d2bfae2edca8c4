// The models that are served: each has a name, and batches that all requests share.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bough/ask/open_model.h"
#include "bough/serve/batch_worker.h"
#include "server/http_error.h"

namespace bough::server {

struct ServedModel {
  std::string name;
  ask::OpenModel open;
  double step_flops = 0.0;  // useful arithmetic of a step of one row
  // Numbers of batches. Jobs that list their words can't stand beside others, and scoring takes
  // many rows at a time.
  size_t writing = 0;
  size_t listed = 0;
  size_t scoring = 0;

  const Model& model() const { return *open.model; }
};

struct ModelOptions {
  std::vector<std::string> folders;
  std::string device = "cpu";
  std::optional<Precision> precision = {};  // none: what each is kept in
  int64_t batch_size = 64;                  // rows
};

/// What is served where nobody says it.
std::vector<std::string> default_models();

class Models {
 public:
  /// Loads them all. UsageError where there is none, DataError for one that can't be read.
  Models(const ModelOptions& options, BatchWorker& worker);

  const std::vector<ServedModel>& all() const { return models_; }

  /// The one of this name, or, where it is empty, the first that the verb takes. HttpError where
  /// there is none.
  const ServedModel& find(const std::string& name, std::string_view verb) const;

  /// As OpenAI's API lists models.
  Json list() const;

 private:
  std::vector<ServedModel> models_;
};

}  // namespace bough::server
