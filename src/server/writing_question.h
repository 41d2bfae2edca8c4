// A request for sentences: generate, complete, reorder or translate.
#pragma once

#include <map>
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
  /// What the client calls fields that it has sent by other names, and how often each of its texts
  /// was written down.
  std::map<std::string_view, std::string_view> names = {};
  int64_t copies = 1;

  /// A field as the client knows it.
  std::string_view name_of(std::string_view field) const {
    auto found = names.find(field);
    return found == names.end() ? field : found->second;
  }
};

class WritingQuestion : public Question {
 public:
  explicit WritingQuestion(const QuestionRequest& request);

  Json answer(const Listener& listener) override;

  /// The sentences for each line, or for the only one; events are told of to the listener.
  std::vector<std::vector<Written>> write(const Listener& listener);

 private:
  void read_lines(const QuestionRequest& request);
  ask::LineJob parse(const std::string& line, const std::string& where) const;
  void check_size(const QuestionRequest& request) const;
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
void keep_within(OptionSet& set, const QuestionRequest& request);

/// HttpError, which names the fields, for more numbers than a request may ask for.
void check_numbers(int64_t words, int64_t alternatives, const Limits& limits,
                   std::string_view fields);

}  // namespace bough::server
