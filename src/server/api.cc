#include "server/api.h"

#include <fmt/format.h>

#include <algorithm>

#include "bough/ask/score_task.h"
#include "server/completions.h"
#include "server/fields.h"
#include "server/writing_question.h"

namespace bough::server {

namespace {

class ScoreQuestion : public Question {
 public:
  explicit ScoreQuestion(const QuestionRequest& request)
      : served_(request.served), worker_(request.worker) {
    task_.declare(set_);
    constexpr std::string_view kOthers[] = {"model", "text", "source"};
    set_fields(set_, request.body, kOthers);
    keep_within(set_, request);
    task_.make_ready(served_.open, set_);
    std::vector<std::string> texts = lines_of(request.body, "text", request.limits);
    std::vector<std::string> sources;
    if (task_.needs_source()) sources = lines_of(request.body, "source", request.limits);
    if (!task_.needs_source() && request.body.contains("source")) {
      throw HttpError(400, fmt::format("'source' is for models that translate, and '{}' isn't one",
                                       served_.name));
    }
    lines_ = task_.parse(texts, sources);
    int64_t words = 0;
    for (const ask::ScoredLine& line : lines_) words += line.size();
    const ask::ScoreOptions& options = task_.options();
    check_numbers(words, options.by_word ? options.others : 0, request.limits,
                  "'text', 'by_word' and 'others'");
  }

  Json answer(const Listener& listener) override {
    BatchClient client(worker_, served_.scoring);
    Json results = Json::array();
    task_.score(lines_, client, listener.check,
                [&](const ask::ScoredLine& line, const Likelihood* found,
                    std::vector<ColouredWord>&& words) {
                  words_ += line.size();
                  results.push_back(found == nullptr ? Json() : task_.json_of(line, *found, words));
                });
    return {{"model", served_.name}, {"results", results}};
  }

 private:
  const ServedModel& served_;
  BatchWorker& worker_;
  ask::ScoreTask task_;
  OptionSet set_;
  std::vector<ask::ScoredLine> lines_;
};

class TokenizeQuestion : public Question {
 public:
  explicit TokenizeQuestion(const QuestionRequest& request) : served_(request.served) {
    constexpr std::string_view kOthers[] = {"model", "text"};
    OptionSet none;
    set_fields(none, request.body, kOthers);
    texts_ = lines_of(request.body, "text", request.limits);
  }

  Json answer(const Listener& /*listener*/) override {
    const Language& text = served_.model().text;
    Json results = Json::array();
    for (const std::string& line : texts_) {
      std::vector<std::string> tokens = text.tokenizer.split(line);
      results.push_back({{"tokens", tokens}, {"ids", text.vocabulary.ids(tokens)}});
    }
    return {{"model", served_.name}, {"results", results}};
  }

 private:
  const ServedModel& served_;
  std::vector<std::string> texts_;
};

}  // namespace

InputField input_of(std::string_view verb) {
  if (verb == "complete") {
    return {
        "template",
        "`___ favorite <blank:1-3> food ___ !`, a seed tree, or a list of these; or give 'must'"};
  }
  if (verb == "reorder") return {"words", "a text or a list of words; or a list of such texts"};
  if (verb == "translate") return {"source", "a sentence or a list of sentences"};
  if (verb == "score" || verb == "tokenize") return {"text", "a sentence or a list of sentences"};
  return {"", ""};
}

std::unique_ptr<Question> Api::read(std::string_view route, const Json& body) const {
  std::string name = text_field(body, "model");
  if (route == "v1/completions") {
    return read_completion({models_.find(name, "tokenize"), worker_, limits_, route, body});
  }
  QuestionRequest request{models_.find(name, route), worker_, limits_, route, body};
  if (route == "score") return std::make_unique<ScoreQuestion>(request);
  if (route == "tokenize") return std::make_unique<TokenizeQuestion>(request);
  return std::make_unique<WritingQuestion>(request);
}

}  // namespace bough::server
