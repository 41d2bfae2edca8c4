// What can be asked of the server, without HTTP: a JSON object in, a JSON object out, or one event
// after the other.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "server/http_error.h"
#include "server/models.h"

namespace bough::server {

/// What a request may ask for at most.
struct Limits {
  int64_t words = 500;      // of a sentence
  int64_t sentences = 256;  // of one request, and trees or samples of one sentence

  /// Of a request in all: a word is one, and each alternative to it one more. As many as the
  /// largest request has with the most log-probabilities that OpenAI's clients ask for.
  int64_t numbers() const { return sentences * words * (1 + 20); }
};

/// Whoever waits for an answer.
struct Listener {
  std::function<void()> check =
      {};  // ends the work by throwing: it is too late, or nobody is there
  std::function<void(const Json& event)> on_event = {};  // of a stream
};

/// A request that has been read and found good.
class Question {
 public:
  virtual ~Question() = default;
  virtual Json answer(const Listener& listener) = 0;
  /// Whether the answer is a stream of events.
  bool streams() const { return streams_; }
  /// How many words were written, or scored, by the answer.
  int64_t words() const { return words_; }

 protected:
  bool streams_ = false;
  int64_t words_ = 0;
};

class Api {
 public:
  Api(const Models& models, BatchWorker& worker, const Limits& limits)
      : models_(models), worker_(worker), limits_(limits) {}

  /// `route` is generate, complete, reorder, translate, score, tokenize or v1/completions.
  /// HttpError, or an error of ours, for a body that can't be answered.
  std::unique_ptr<Question> read(std::string_view route, const Json& body) const;

  const Models& models() const { return models_; }

 private:
  const Models& models_;
  BatchWorker& worker_;
  Limits limits_;
};

/// The name of a verb's input, and what it is; empty for one that has none.
struct InputField {
  std::string_view name;
  std::string_view help;
};
InputField input_of(std::string_view verb);

}  // namespace bough::server
