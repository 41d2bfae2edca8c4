#include "neural/line_writer.h"

#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "neural/writing.h"

namespace bough::cli {

void LineWriter::run(const LineOptions& options, const Parse& parse, const Print& print) {
  warn_of_greedy(options_, request_);
  LineInput input(options.input, options.on_error);
  std::vector<Line> lines;
  bool more = true;
  while (more) {
    lines.clear();
    do {
      Line line;
      more = read(input, parse, line);
      if (more) lines.push_back(std::move(line));
    } while (more && lines.size() < kMostLines && input.is_ready());
    write(lines, print);
  }
  input.warn_of_skipped();
}

void LineWriter::run(LineJob job, const Print& print) {
  std::vector<Line> lines;
  lines.push_back({.number = 0, .job = std::move(job), .error = ""});
  write(lines, print);
}

bool LineWriter::read(LineInput& input, const Parse& parse, Line& line) {
  // Where each line is an object, a demand that can't be met has always been an answer like others.
  bool answered = !input.skips() && format_.format == OutputFormat::kJsonl;
  bool more = input.next([&](const std::string& text) {
    try {
      line.job = parse(text);
    } catch (const UnmetError& error) {
      if (!answered) throw;
      line.error = error.what();
    }
  });
  line.number = input.number();
  if (line.error.empty()) line.error = input.error();
  return more;
}

void LineWriter::write(std::vector<Line>& lines, const Print& print) {
  std::vector<Prompt> prompts;
  for (const Line& line : lines) {
    int64_t way = 0;
    for (const auto& demands : line.job.ways) {
      prompts.push_back({.source = line.job.source,
                         .demands = demands,
                         .name = PromptName{line.number, way++},
                         .words = line.job.words,
                         .source_text = line.job.source_text});
    }
  }
  auto line = lines.begin();
  std::vector<std::vector<Written>> found;  // by way of the line under way
  auto print_finished = [&] {
    for (; line != lines.end() && found.size() == line->job.ways.size(); ++line) {
      print_line(*line, std::exchange(found, {}), print);
    }
  };
  print_finished();
  WriteRequest request = request_;
  request.count = static_cast<int64_t>(prompts.size());
  request.prompts = prompts;
  write_sentences(options_, model_, request, [&](std::vector<Written>&& sentences) {
    found.push_back(std::move(sentences));
    print_finished();
  });
}

void LineWriter::print_line(const Line& line, std::vector<std::vector<Written>>&& found,
                            const Print& print) {
  if (!found.empty()) {
    print(line.number, std::move(found));
  } else if (!line.error.empty() && format_.format == OutputFormat::kJsonl) {
    output_.write_line(nlohmann::ordered_json{{"version", 1}, {"error", line.error}}.dump());
  } else {
    output_.write_line("");
  }
}

}  // namespace bough::cli
