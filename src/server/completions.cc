#include "server/completions.h"

#include <fmt/format.h>

#include <algorithm>
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

/// Where a text goes on with a word that is longer by it: behind what both begin with, and a space.
size_t shared_letters(const std::string& shorter, const std::string& longer) {
  std::u32string one = code_points(shorter);
  std::u32string other = code_points(longer);
  auto shared = std::ranges::mismatch(one, other).in2 - other.begin();
  auto at = static_cast<size_t>(shared);
  return at + (at < other.size() && other[at] == U' ' ? 1 : 0);
}

class CompletionQuestion : public Question {
 public:
  explicit CompletionQuestion(const QuestionRequest& request) : served_(request.served) {
    options_.declare(set_);
    const Json& body = request.body;
    set_fields(set_, body, kOthers);
    streams_ = flag_field(body, "stream");
    has_logprobs_ = set_.find("logprobs")->was_set;
    refuse_others(body);
    if (auto found = body.find("stream_options"); found != body.end() && !found->is_null()) {
      if (!found->is_object()) throw HttpError(400, "'stream_options' takes an object");
      with_usage_ = flag_field(*found, "include_usage");
    }
    if (!set_.find("seed")->was_set) options_.seed = std::random_device()();
    if (body.contains("prompt") && body["prompt"] != "" && !body["prompt"].is_null()) {
      prompts_ = lines_of(body, "prompt", request.limits);
    }
    suffix_ = text_field(body, "suffix");
    auto count = static_cast<int64_t>(prompts_.size());
    if (options_.n > request.limits.sentences / count) {
      throw HttpError(400, fmt::format("'n' takes at most {} here, for {} in 'prompt', not {}",
                                       request.limits.sentences / count, count, options_.n));
    }
    ask(request);
  }

  Json answer(const Listener& listener) override {
    Json choices = Json::array();
    auto take = [&](const Json& trace) {
      Json choice = choice_of(trace, static_cast<int64_t>(choices.size()));
      if (listener.on_event) send(listener, Json::array({choice}), nullptr);
      choices.push_back(std::move(choice));
    };
    if (listener.on_event) {
      // As each is done: the others may still be growing.
      asked_->answer({.check = listener.check, .on_event = [&](const Json& event) {
                        if (event["op"] == "done") take(event["trace"]);
                      }});
    } else {
      Json answered = asked_->answer({.check = listener.check});
      for (const Json& trace : answered["results"]) take(trace);
    }
    Json usage{{"prompt_tokens", prompt_words_},
               {"completion_tokens", words_},
               {"total_tokens", prompt_words_ + words_}};
    if (listener.on_event && with_usage_) send(listener, Json::array(), usage);
    Json whole = frame(choices);
    whole["usage"] = usage;
    return whole;
  }

 private:
  /// A piece of a stream; OpenAI's have a null for the usage until it is known.
  void send(const Listener& listener, const Json& choices, const Json& usage) const {
    Json piece = frame(choices);
    if (with_usage_) piece["usage"] = usage;
    listener.on_event(piece);
  }

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

  /// The same as a request of ours: one text for each choice, so that each is done by itself and
  /// may be sent.
  void ask(const QuestionRequest& request) {
    std::string_view verb = traits_of(served_.model().config.task).verbs.front();
    bool around = !prompts_.front().empty() || !suffix_.empty();
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
      body[std::string(input_of(verb).name)] = prompts_;
      if (options_.max_tokens > 0) body["max_length"] = options_.max_tokens;
    } else if (around) {
      verb = "complete";
      std::string gap =
          options_.max_tokens > 0 ? fmt::format("<blank:-{}>", options_.max_tokens) : "___";
      Json& templates = body["template"] = Json::array();
      for (const std::string& prompt : prompts_) {
        for (int64_t i = 0; i < options_.n; ++i) {
          templates.push_back(fmt::format("{} {} {}", prompt, gap, suffix_));
        }
      }
    } else {
      if (options_.max_tokens > 0) body["max_length"] = options_.max_tokens;
      body["n"] = options_.n;
    }
    asked_ =
        std::make_unique<WritingQuestion>(QuestionRequest{.served = served_,
                                                          .worker = request.worker,
                                                          .limits = request.limits,
                                                          .verb = verb,
                                                          .body = body,
                                                          .names = {{"template", "prompt"},
                                                                    {"source", "prompt"},
                                                                    {"words", "prompt"},
                                                                    {"max_length", "max_tokens"},
                                                                    {"alternatives", "logprobs"}},
                                                          .copies = options_.n});
    const Tokenizer& tokenizer = served_.model().source_text().tokenizer;
    for (const std::string& prompt : prompts_) {
      prompt_words_ += static_cast<int64_t>(tokenizer.split(prompt).size());
    }
  }

  /// What stands behind these given words, as it reads there: with a space where one is needed
  /// that the prompt doesn't end with.
  std::string text_behind(std::vector<std::string> given, std::span<const std::string> words,
                          const std::string& prompt) const {
    const Tokenizer& tokenizer = served_.model().text.tokenizer;
    std::string before = tokenizer.join(given);
    given.insert(given.end(), words.begin(), words.end());
    std::string all = tokenizer.join(given);
    if (words.empty()) return "";
    if (before.empty() || !all.starts_with(before)) return tokenizer.join(words);
    bool spaced = !prompt.empty() && prompt.back() == ' ';
    return all.substr(before.size() + (spaced && all[before.size()] == ' ' ? 1 : 0));
  }

  /// What stands where nothing was given.
  Json choice_of(const Json& trace, int64_t index) {
    const std::string& prompt = prompts_[static_cast<size_t>(index / options_.n)];
    std::vector<std::string> before;  // given words in front of the first that is written
    std::vector<const Json*> nodes(trace["nodes"].size());  // in the order of the sentence
    for (const Json& node : trace["nodes"]) nodes[node["position"].get<size_t>()] = &node;
    std::vector<std::string> words;
    std::string text;  // of these, as far as it is asked for
    Json logprobs = Json::array();
    Json tops = Json::array();
    Json offsets = Json::array();
    for (const Json* node : nodes) {
      if (node->contains("given")) {
        if (words.empty()) before.push_back((*node)["token"]);
        continue;
      }
      words.push_back((*node)["token"]);
      if (has_logprobs_) {
        std::string longer = text_behind(before, words, prompt);
        offsets.push_back(shared_letters(text, longer));
        text = std::move(longer);
      }
      logprobs.push_back((*node)["logprob"]);
      Json& top = tops.emplace_back(Json::object());
      for (const Json& other : node->value("alternatives", Json::array())) {
        top[other["token"].get<std::string>()] = other["logprob"];
      }
    }
    words_ += static_cast<int64_t>(words.size());
    Json choice{{"text", text_behind(before, words, prompt)},
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
  bool with_usage_ = false;  // at the end of a stream
  std::vector<std::string> prompts_ = {""};
  std::unique_ptr<Question> asked_;
  int64_t prompt_words_ = 0;
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
              {"stream", {{"type", "boolean"}, {"default", false}}},
              {"stream_options", {{"type", "object"}, {"description", "`include_usage`"}}}};
  for (const Option& option : set.options()) fields[option.name] = field_schema(option);
  return fields;
}

}  // namespace bough::server
