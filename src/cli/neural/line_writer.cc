#include "neural/line_writer.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/data/corpus.h"
#include "neural/writing.h"

namespace bough::cli {

namespace {

/// Lines that are read, written from and answered at a time.
constexpr size_t kMostLines = 4096;

}  // namespace

void LineWriter::run(const LineOptions& options, const Parse& parse, const Print& print) {
  warn_of_greedy(options_, request_);
  LineReader reader(options.input);
  std::vector<Line> lines;
  bool more = true;
  while (more) {
    lines.clear();
    std::string text;
    do {
      try {
        more = reader.next(text);
      } catch (const BadLine& bad) {
        if (options.on_error == OnError::kFail) throw;
        lines.push_back({.number = reader.line_number() - 1, .job = {}, .error = bad.what()});
        count_skipped(bad.what());
        continue;
      }
      if (more) lines.push_back(parsed(text, reader, parse, options.on_error));
    } while (more && lines.size() < kMostLines && reader.is_ready());
    write(lines, print);
  }
  if (skipped_ > 0) {
    spdlog::warn("{} of {} lines skipped; the first: {}", skipped_, reader.line_number(),
                 first_skipped_);
  }
}

void LineWriter::run(LineJob job, const Print& print) {
  std::vector<Line> lines;
  lines.push_back({.number = 0, .job = std::move(job), .error = ""});
  write(lines, print);
}

LineWriter::Line LineWriter::parsed(const std::string& text, const LineReader& reader,
                                    const Parse& parse, OnError rule) {
  Line line{.number = reader.line_number() - 1, .job = {}, .error = ""};
  std::string where = fmt::format("{}, line {}", reader.name(), reader.line_number());
  // Where each line is an object, a demand that can't be met has always been an answer like others.
  bool answered = rule == OnError::kSkip;
  try {
    check_utf8(text);
    line.job = parse(text);
  } catch (const UnmetError& error) {
    if (!answered && format_.format != OutputFormat::kJsonl) {
      throw UnmetError("{}: {}", where, error.what());
    }
    line.error = error.what();
  } catch (const DataError& error) {
    if (!answered) throw DataError("{}: {}", where, error.what());
    line.error = error.what();
  }
  if (!line.error.empty() && answered) count_skipped(fmt::format("{}: {}", where, line.error));
  return line;
}

void LineWriter::count_skipped(const std::string& message) {
  if (skipped_++ == 0) first_skipped_ = message;
}

void LineWriter::write(std::vector<Line>& lines, const Print& print) {
  std::vector<Prompt> prompts;
  for (const Line& line : lines) {
    for (const auto& way : line.job.ways) prompts.push_back({line.job.source, way});
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
  request.first = prompts_;
  write_sentences(options_, model_, request, [&](std::vector<Written>&& sentences) {
    found.push_back(std::move(sentences));
    print_finished();
  });
  prompts_ += request.count;
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
