#include "server/writing_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bough/analysis/tree_picture.h"
#include "bough/base/error.h"
#include "bough/base/utf8.h"
#include "bough/generate/reranker.h"
#include "bough/tree/insertion.h"
#include "server/fields.h"

namespace bough::server {

namespace {

/// A template may be a seed tree; a list of words without spaces is one bag.
std::string line_of(const Json& item, const std::string& name) {
  if (item.is_string()) return item.get<std::string>();
  if (item.is_object() && name == "template") return item.dump();
  if (item.is_array() && name == "words") {
    std::string line;
    bool all_texts = true;
    for (const Json& word : item) {
      all_texts = all_texts && word.is_string();
      if (all_texts) line += (line.empty() ? "" : " ") + word.get<std::string>();
    }
    if (all_texts && !line.empty()) return line;
  }
  throw HttpError(400, fmt::format("'{}' takes a text or a list of texts, not {}", name,
                                   for_message(item.dump())));
}

bool is_bag(const Json& list) {
  return std::ranges::all_of(list, [](const Json& item) {
    return item.is_string() && item.get<std::string>().find(' ') == std::string::npos;
  });
}

Json event_of(int64_t result, const Trace& trace, int id) {
  Insertion word = insertion_of(trace, id);
  Json event{{"op", "insert"},      {"result", result},  {"index", word.index},
             {"token", word.token}, {"node", id},        {"parent", nullptr},
             {"side", nullptr},     {"step", word.step}, {"logprob", nullptr}};
  if (word.side != Side::kRoot) {
    event["parent"] = word.parent;
    event["side"] = word.side == Side::kLeft ? "left" : "right";
  }
  if (std::isfinite(word.logprob)) event["logprob"] = std::round(word.logprob * 1e5) / 1e5;
  if (word.given) event["given"] = true;
  return event;
}

}  // namespace

std::vector<std::string> lines_of(const Json& body, const std::string& name, const Limits& limits) {
  auto found = body.find(name);
  if (found == body.end() || found->is_null()) {
    throw HttpError(400, fmt::format("'{}' is missing", name));
  }
  std::vector<std::string> lines;
  if (found->is_array() && !(name == "words" && is_bag(*found))) {
    for (const Json& item : *found) lines.push_back(line_of(item, name));
  } else {
    lines.push_back(line_of(*found, name));
  }
  if (static_cast<int64_t>(lines.size()) > limits.sentences) {
    throw HttpError(400, fmt::format("'{}' takes at most {} texts here, not {}", name,
                                     limits.sentences, lines.size()));
  }
  for (const std::string& line : lines) {
    if (split_at_white_space(line).empty()) {
      throw HttpError(400, fmt::format("'{}' is empty: give some words", name));
    }
  }
  return lines;
}

void check_numbers(int64_t words, int64_t alternatives, const Limits& limits,
                   std::string_view fields) {
  int64_t numbers = words * (1 + alternatives);
  if (numbers <= limits.numbers()) return;
  throw HttpError(400, fmt::format("{} ask for up to {} words with {} alternatives each, {} in all "
                                   "and more than {}: lower one of them",
                                   fields, words, alternatives, numbers, limits.numbers()));
}

void keep_within(OptionSet& set, const QuestionRequest& request) {
  const Limits& limits = request.limits;
  auto keep = [&](int64_t limit, std::initializer_list<std::string_view> names) {
    for (std::string_view name : names) {
      Option* option = set.find(name);
      if (option == nullptr || std::get<int64_t>(option->get()) <= limit) continue;
      if (option->was_set) {
        throw HttpError(400, fmt::format("'{}' takes at most {} here, not {}",
                                         request.name_of(field_name(*option)), limit,
                                         std::get<int64_t>(option->get())));
      }
      option->set(std::to_string(limit));
    }
  };
  keep(limits.words, {"min-length", "max-length", "length", "max-source", "max-words"});
  keep(limits.sentences, {"count", "nbest", "mbr", "beam-size", "samples", "rerank-samples",
                          "rerank-among", "alternatives", "others"});
}

WritingQuestion::WritingQuestion(const QuestionRequest& request)
    : served_(request.served),
      worker_(request.worker),
      task_(ask::make_writing_task(request.verb)) {
  const Json& body = request.body;
  task_->declare(set_);
  std::vector<std::string_view> others = {"model", "stream", "draw"};
  InputField input = input_of(request.verb);
  if (!input.name.empty()) others.push_back(input.name);
  set_fields(set_, body, others);
  streams_ = flag_field(body, "stream");
  draws_ = flag_field(body, "draw");
  if (const Option* shortlist = set_.find("shortlist")) {
    lists_words_ = std::get<int64_t>(shortlist->get()) > 0;
    if (lists_words_ && !served_.open.shortlist) {
      throw HttpError(400, fmt::format("'shortlist': the model '{}' has none", served_.name));
    }
  }
  task_->make_ready(served_.open, set_);
  keep_within(set_, request);
  read_lines(request);
  check_size(request);
}

void WritingQuestion::read_lines(const QuestionRequest& request) {
  std::string field(input_of(task_->verb()).name);
  if (field.empty()) return;
  if (!task_->takes_lines()) {
    if (request.body.contains(field)) {
      throw HttpError(400, fmt::format("give 'must' or '{}', not both", field));
    }
    jobs_.push_back({.number = 0, .job = task_->parse("")});
    return;
  }
  std::vector<std::string> lines = lines_of(request.body, field, request.limits);
  auto count = static_cast<int64_t>(lines.size());
  for (int64_t i = 0; i < count; ++i) {
    std::string where = fmt::format("'{}'", request.name_of(field));
    if (count > request.copies) where += fmt::format("[{}]", i / request.copies);
    jobs_.push_back({.number = i, .job = parse(lines[static_cast<size_t>(i)], where)});
  }
  int64_t each = task_->request(true).each;
  if (count * each > request.limits.sentences) {
    throw HttpError(400, fmt::format("'n' asks for {} sentences for each of {} texts of '{}', more "
                                     "than {} in all",
                                     each, count, field, request.limits.sentences));
  }
}

ask::LineJob WritingQuestion::parse(const std::string& line, const std::string& where) const {
  ask::LineJob job;
  try {
    job = task_->parse(line);
  } catch (const Error& /*error*/) {
    HttpError failure = as_http_error(std::current_exception());
    throw HttpError(failure.status(), fmt::format("{}: {}", where, failure.what()));
  }
  if (job.ways.empty()) {
    throw HttpError(400, fmt::format("{} has no words: {}", where, for_message(line)));
  }
  return job;
}

void WritingQuestion::check_size(const QuestionRequest& request) const {
  const ask::WritingOptions& writing = task_->writing();
  const DecodeBounds& bounds = writing.options.bounds;
  WriteRequest wanted = task_->request(true);
  int64_t best = wanted.best;
  if (writing.rerank.by != RerankBy::kNothing) best = std::max(best, writing.rerank.among);
  // What is kept at a time: all that is answered, or the trees that a sentence is chosen among.
  int64_t trees = best > 0 ? std::max(wanted.each, 10 * best) : wanted.each;
  if (writing.options.mbr.samples > 0) {
    trees = writing.options.mbr.samples * (best > 0 ? 1 : wanted.each);
  }
  if (writing.options.beam.size > 0) trees = writing.options.beam.size;
  int64_t longest = bounds.length > 0 ? bounds.length : bounds.max_length;
  int64_t ways = jobs_.empty() ? wanted.count : 0;
  for (const ask::NumberedJob& line : jobs_) {
    ways += static_cast<int64_t>(line.job.ways.size());
    longest = std::max(longest, static_cast<int64_t>(line.job.source.size()));
  }
  int64_t sentences = std::max(ways * std::max(best, wanted.each), trees);
  std::string fields;
  for (const Option& option : set_.options()) {
    constexpr std::string_view kSizes[] = {"count",        "nbest",     "mbr",
                                           "rerank-among", "any-order", "min-length",
                                           "max-length",   "length",    "alternatives"};
    if (!option.was_set || std::ranges::find(kSizes, option.name) == std::end(kSizes)) continue;
    fields +=
        fmt::format("{}'{}'", fields.empty() ? "" : ", ", request.name_of(field_name(option)));
  }
  check_numbers(sentences * longest, wanted.alternatives, request.limits, fields);
}

bool WritingQuestion::grows() const {
  const WriterOptions& options = task_->writing().options;
  bool alone = options.beam.size == 0 && options.mbr.samples == 0 &&
               task_->writing().rerank.by == RerankBy::kNothing && task_->request(true).best == 0;
  return alone && std::ranges::all_of(
                      jobs_, [](const ask::NumberedJob& job) { return job.job.ways.size() == 1; });
}

std::vector<std::vector<Written>> WritingQuestion::write(const Listener& listener) {
  const ask::WritingOptions& writing = task_->writing();
  BatchClient client(worker_, lists_words_ ? served_.listed : served_.writing);
  BatchClient judge(worker_, served_.scoring);
  std::optional<Reranker> reranker;
  if (writing.rerank.by != RerankBy::kNothing) {
    reranker.emplace(served_.open.model, writing.rerank, writing.options);
    reranker->run_in(judge);
  }
  WriteRequest request = task_->request(true);
  request.runner = &client;
  request.reranker = reranker ? &*reranker : nullptr;
  request.between_steps = listener.check;
  if (listener.on_event && grows()) {
    request.on_word = [&](int64_t sentence, const Trace& so_far) {
      Json event = event_of(sentence, so_far, so_far.tree.word_count() - 1);
      if (draws_) event["svg"] = draw_svg(so_far);
      listener.on_event(event);
    };
  }
  std::vector<std::vector<Written>> found;
  int64_t result = 0;
  auto take = [&](std::vector<Written>&& sentences) {
    for (const Written& one : sentences) {
      words_ += one.trace.tree.word_count();
      if (listener.on_event) tell(listener, result++, one);
    }
    found.push_back(std::move(sentences));
  };
  if (jobs_.empty()) {
    ask::write_only(*task_, served_.model(), request, take);
  } else {
    ask::write_jobs(
        *task_, served_.model(), jobs_, request,
        [&](size_t /*index*/, std::vector<Written>&& sentences) { take(std::move(sentences)); });
  }
  return found;
}

void WritingQuestion::tell(const Listener& listener, int64_t result, const Written& written) const {
  const Trace& trace = written.trace;
  for (int id = 0; id < trace.tree.word_count() && !grows(); ++id) {
    listener.on_event(event_of(result, trace, id));
  }
  Json json = json_of(written);
  listener.on_event({{"op", "done"}, {"result", result}, {"text", json["text"]}, {"trace", json}});
}

Json WritingQuestion::json_of(const Written& written) const {
  Json json = task_->writing().text.json_of(written, served_.model().text.tokenizer);
  if (draws_) json["svg"] = draw_svg(written.trace);
  return json;
}

Json WritingQuestion::answer(const Listener& listener) {
  Json results = Json::array();
  for (const std::vector<Written>& sentences : write(listener)) {
    for (const Written& one : sentences) results.push_back(json_of(one));
  }
  return {{"model", served_.name}, {"results", results}};
}

}  // namespace bough::server
