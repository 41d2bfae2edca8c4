#include "server/completions.h"

#include <fmt/format.h>

#include <ctime>
#include <random>

#include "bough/base/utf8.h"
#include "server/fields.h"

namespace bough::server {

namespace {

struct CompletionOptions {
  int64_t n = 1;
  int64_t seed = 0;
  double temperature = 1.0;
  double top_p = 1.0;
  int64_t logprobs = 0;
  int64_t max_tokens = 0;
  // Of OpenAI's, but nothing here; taken where they ask for nothing.
  int64_t best_of = 1;
  double presence_penalty = 0.0;
  double frequency_penalty = 0.0;
  bool echo = false;
  std::string user;

  void declare(OptionSet& set) {
    set.integer("n", n, {1, 1'000'000}, "how many completions of each prompt");
    set.integer("seed", seed, {0, INT64_MAX},
                "names all random draws; without it they differ each time, and the answer says it");
    set.number("temperature", temperature, {0.0, 2.0},
               "divides the logits before sampling; 0: the best action at every step");
    set.number("top_p", top_p, {0.0, 1.0},
               "sample among the best actions that hold this much of the probability");
    set.integer("logprobs", logprobs, {0, 20}, "the so many likeliest actions at each word");
    set.integer("max_tokens", max_tokens, {0, 100'000}, "most words of a completion; 0: as usual");
    set.integer("best_of", best_of, {1, 1'000'000}, "has to be at most n");
    set.number("presence_penalty", presence_penalty, {0.0, 0.0}, "has to be 0");
    set.number("frequency_penalty", frequency_penalty, {0.0, 0.0}, "has to be 0");
    set.flag("echo", echo, "has to be false");
    set.text("user", user, "TEXT", "nothing is done with it");
  }
};

constexpr std::string_view kOthers[] = {"model", "prompt",     "suffix",        "stream",
                                        "stop",  "logit_bias", "stream_options"};

class CompletionQuestion : public Question {
 public:
  explicit CompletionQuestion(const QuestionRequest& request) : served_(request.served) {
    options_.declare(set_);
    const Json& body = request.body;
    set_fields(set_, body, kOthers);
    streams_ = flag_field(body, "stream");
    has_logprobs_ = set_.find("logprobs")->was_set;
    refuse_others(body);
    if (!set_.find("seed")->was_set) options_.seed = std::random_device()();
    std::vector<std::string> prompts = {""};
    if (body.contains("prompt") && body["prompt"] != "" && !body["prompt"].is_null()) {
      prompts = lines_of(body, "prompt", request.limits);
    }
    suffix_ = text_field(body, "suffix");
    for (const std::string& prompt : prompts) ask(prompt, request);
  }

  Json answer(const Listener& listener) override {
    Json choices = Json::array();
    int64_t prompt_words = 0;
    for (size_t i = 0; i < asked_.size(); ++i) {
      auto take = [&](const Json& trace) {
        Json choice = choice_of(trace, static_cast<int64_t>(choices.size()));
        if (listener.on_event) listener.on_event(frame(Json::array({choice})));
        choices.push_back(std::move(choice));
      };
      if (listener.on_event) {
        // As each is done: the others may still be growing.
        asked_[i]->answer({.check = listener.check, .on_event = [&](const Json& event) {
                             if (event["op"] == "done") take(event["trace"]);
                           }});
      } else {
        Json answered = asked_[i]->answer({.check = listener.check});
        for (const Json& trace : answered["results"]) take(trace);
      }
      prompt_words += prompt_words_[i];
    }
    Json whole = frame(choices);
    whole["usage"] = {{"prompt_tokens", prompt_words},
                      {"completion_tokens", words_},
                      {"total_tokens", prompt_words + words_}};
    return whole;
  }

 private:
  void refuse_others(const Json& body) const {
    auto empty = [&](const char* name) {
      return !body.contains(name) || body[name].is_null() || body[name].empty();
    };
    for (const char* name : {"stop", "logit_bias"}) {
      if (!empty(name)) throw HttpError(400, fmt::format("'{}' isn't supported", name));
    }
    if (options_.echo) throw HttpError(400, "'echo' isn't supported");
    if (options_.best_of > options_.n) throw HttpError(400, "'best_of' has to be at most 'n'");
  }

  /// The same as a request of ours.
  void ask(const std::string& prompt, const QuestionRequest& request) {
    std::string_view verb = traits_of(served_.model().config.task).verbs.front();
    bool around = !split_at_white_space(prompt).empty() || !suffix_.empty();
    Json body{
        {"seed", options_.seed}, {"alternatives", options_.logprobs}, {"top_p", options_.top_p}};
    if (options_.temperature == 0.0) {
      body["decode"] = "greedy";
    } else if (set_.find("temperature")->was_set) {
      body["decode"] = "sample";
      body["temperature"] = std::max(1e-3, options_.temperature);
    }
    if (verb != "generate") {
      if (options_.n > 1 || !suffix_.empty()) {
        throw HttpError(400, fmt::format("'{}' has one answer for a prompt: leave 'n' and 'suffix' "
                                         "out",
                                         served_.name));
      }
      if (!around) throw HttpError(400, "'prompt' is empty: give some words");
      body[std::string(input_of(verb).name)] = prompt;
      if (options_.max_tokens > 0) body["max_length"] = options_.max_tokens;
    } else if (around) {
      verb = "complete";
      std::string gap =
          options_.max_tokens > 0 ? fmt::format("<blank:-{}>", options_.max_tokens) : "___";
      // As often as there are to be choices: each is then done by itself, and may be sent.
      body["template"] =
          Json(static_cast<size_t>(options_.n), fmt::format("{} {} {}", prompt, gap, suffix_));
    } else {
      if (options_.max_tokens > 0) body["max_length"] = options_.max_tokens;
      body["n"] = options_.n;
    }
    asked_.push_back(std::make_unique<WritingQuestion>(
        QuestionRequest{served_, request.worker, request.limits, verb, body}));
    prompt_words_.push_back(
        static_cast<int64_t>(served_.model().source_text().tokenizer.split(prompt).size()));
  }

  /// What stands where nothing was given.
  Json choice_of(const Json& trace, int64_t index) {
    const Tokenizer& tokenizer = served_.model().text.tokenizer;
    std::vector<const Json*> nodes(trace["nodes"].size());  // in the order of the sentence
    for (const Json& node : trace["nodes"]) nodes[node["position"].get<size_t>()] = &node;
    std::vector<std::string> words;
    Json logprobs = Json::array();
    Json tops = Json::array();
    Json offsets = Json::array();
    for (const Json* node : nodes) {
      if (node->contains("given")) continue;
      if (has_logprobs_) {
        offsets.push_back(words.empty() ? 0 : tokenizer.join(words).size() + 1);
      }
      words.push_back((*node)["token"]);
      logprobs.push_back((*node)["logprob"]);
      Json& top = tops.emplace_back(Json::object());
      for (const Json& other : node->value("alternatives", Json::array())) {
        top[other["token"].get<std::string>()] = other["logprob"];
      }
    }
    words_ += static_cast<int64_t>(words.size());
    Json choice{{"text", tokenizer.join(words)},
                {"index", index},
                {"logprobs", nullptr},
                {"finish_reason", trace["finished"] ? "stop" : "length"}};
    if (has_logprobs_) {
      choice["logprobs"] = {{"tokens", words},
                            {"token_logprobs", logprobs},
                            {"top_logprobs", tops},
                            {"text_offset", offsets}};
    }
    return choice;
  }

  Json frame(const Json& choices) const {
    return {{"id", id_},
            {"object", "text_completion"},
            {"created", created_},
            {"model", served_.name},
            {"seed", options_.seed},
            {"choices", choices}};
  }

  const ServedModel& served_;
  CompletionOptions options_;
  OptionSet set_;
  bool has_logprobs_ = false;
  std::string suffix_;
  std::vector<std::unique_ptr<Question>> asked_;  // by prompt
  std::vector<int64_t> prompt_words_;
  std::string id_ = fmt::format("cmpl-{:016x}",
                                (uint64_t{std::random_device()()} << 32) | std::random_device()());
  int64_t created_ = std::time(nullptr);
};

}  // namespace

std::unique_ptr<Question> read_completion(const QuestionRequest& request) {
  return std::make_unique<CompletionQuestion>(request);
}

Json completion_schema() {
  CompletionOptions options;
  OptionSet set;
  options.declare(set);
  Json fields{{"model", {{"type", "string"}, {"description", "which of the models"}}},
              {"prompt", {{"description", "a text or a list of texts"}}},
              {"suffix", {{"type", "string"}, {"description", "what comes behind the completion"}}},
              {"stream", {{"type", "boolean"}, {"default", false}}}};
  for (const Option& option : set.options()) fields[option.name] = field_schema(option);
  return fields;
}

}  // namespace bough::server
