#include "neural/line_writer.h"

#include "bough/base/error.h"
#include "neural/signals.h"
#include "neural/writing.h"

namespace bough::cli {

LineWriter::LineWriter(const ask::WritingTask& task, const Model& model, const Reranker* reranker,
                       const TraceOutput& form, OutputFile& output)
    : task_(task),
      model_(model),
      request_(task.request(form.has_scores())),
      has_objects_(form.format == OutputFormat::kJsonl),
      printer_(form, task.writing().text, model.text.tokenizer, output) {
  request_.reranker = reranker;
  request_.between_steps = stop_where_asked;
}

void LineWriter::run(const LineOptions& options) {
  warn_of_greedy(task_.writing().options, request_);
  if (!task_.takes_lines()) {
    write_only(options.shard.parse());
    return;
  }
  LineInput input(options);
  bool more = true;
  while (more) {
    std::vector<ask::NumberedJob> lines;
    std::vector<std::string> errors;
    do {
      ask::NumberedJob line;
      std::string error;
      more = read(input, line, error);
      if (!more) break;
      lines.push_back(std::move(line));
      errors.push_back(std::move(error));
    } while (lines.size() < kMostLines && input.is_ready());
    write(lines, errors);
  }
  input.warn_of_skipped();
}

void LineWriter::write_only(const Shard& shard) {
  auto take = [&](std::vector<Written>&& found) { printer_.print(0, found); };
  if (shard.is_whole()) {
    ask::write_only(task_, model_, request_, take);
    return;
  }
  if (request_.best > 0 || request_.starts.size() > 1 || !task_.parse("").ways.empty()) {
    throw UsageError(
        "--shard is for lines of an input, or for sentences that are written each by itself");
  }
  // Their numbers name their draws.
  constexpr int64_t kMostTogether = 1 << 16;
  int64_t end = shard.end(request_.count);
  for (int64_t next = shard.begin(request_.count); next < end;) {
    std::vector<Prompt> prompts;
    for (; next < end && static_cast<int64_t>(prompts.size()) < kMostTogether; ++next) {
      prompts.push_back({.name = PromptName{.number = next}});
    }
    WriteRequest part = request_;
    part.count = static_cast<int64_t>(prompts.size());
    part.prompts = prompts;
    ask::write_sentences(task_.writing().options, model_, part, take);
  }
}

bool LineWriter::read(LineInput& input, ask::NumberedJob& line, std::string& error) {
  // Where each line is an object, a demand that can't be met has always been an answer like others.
  bool answered = !input.skips() && has_objects_;
  bool more = input.next([&](const std::string& text) {
    try {
      line.job = task_.parse(text);
    } catch (const UnmetError& unmet) {
      if (!answered) throw;
      error = unmet.what();
    }
  });
  line.number = input.number();
  if (error.empty()) error = input.error();
  return more;
}

void LineWriter::write(std::span<const ask::NumberedJob> lines,
                       std::span<const std::string> errors) {
  ask::write_jobs(task_, model_, lines, request_, [&](size_t index, std::vector<Written>&& found) {
    if (lines[index].job.ways.empty()) {
      printer_.print_none(errors[index]);
    } else {
      printer_.print(lines[index].number, found);
    }
  });
}

}  // namespace bough::cli
