// A request for sentences: generate, complete, reorder or translate.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bough/ask/writing_task.h"
#include "server/api.h"

namespace bough::server {

struct QuestionRequest {
  const ServedModel& served;
  BatchWorker& worker;
  Limits limits;
  std::string_view verb;
  const Json& body;
};

class WritingQuestion : public Question {
 public:
  explicit WritingQuestion(const QuestionRequest& request);

  Json answer(const Listener& listener) override;

  /// The sentences for each line, or for the only one; events are told of to the listener.
  std::vector<std::vector<Written>> write(const Listener& listener);

  const ServedModel& served() const { return served_; }
  int64_t seed() const { return task_->writing().options.seed; }

 private:
  void read_lines(const Json& body, const Limits& limits);
  /// Whether words can be told of as they come: each sentence is written by itself, and kept.
  bool grows() const;
  Json json_of(const Written& written) const;
  /// The events that a sentence came by, where nobody has seen them yet, and that it is done.
  void tell(const Listener& listener, int64_t result, const Written& written) const;

  const ServedModel& served_;
  BatchWorker& worker_;
  std::unique_ptr<ask::WritingTask> task_;
  OptionSet set_;
  bool draws_ = false;
  bool lists_words_ = false;
  std::vector<ask::NumberedJob> jobs_;  // none: the options say it all
};

/// What a field with a text or a list of texts holds; HttpError where it is neither, empty, or
/// has too many.
std::vector<std::string> lines_of(const Json& body, const std::string& name, const Limits& limits);

/// HttpError for options beyond the limits; defaults are lowered to them.
void keep_within(OptionSet& set, const Limits& limits);

}  // namespace bough::server
