// bough score without where its lines come from and where its answers go: for the server (server/).
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "bough/generate/running_batch.h"
#include "bough/model/model.h"
#include "command.h"

namespace bough::cli {

class ScoreTask {
 public:
  virtual ~ScoreTask() = default;

  /// Its name and its options, which the caller has read.
  virtual Command& verb() = 0;
  /// UsageError for options that make no sense, or don't with this model.
  virtual void prepare(std::shared_ptr<const Model> model, OptionSet& set) = 0;

  struct Request {
    std::span<const std::string> texts;
    std::span<const std::string> sources = {};  // as many, where the model translates
    JobRunner& runner;
    std::function<void()> between_steps = {};
  };
  /// An object for each text, null for an empty one. DataError or UnmetError for one that can't be
  /// scored.
  virtual std::vector<nlohmann::ordered_json> answer(const Request& request) = 0;
};

std::unique_ptr<ScoreTask> make_score_task();

}  // namespace bough::cli
