#include "neural/line_writer.h"

#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "neural/writing.h"

namespace bough::cli {

void LineWriter::run(const LineOptions& options) {
  if (!task_.takes_lines()) {
    NumberedJob only{.number = 0, .job = task_.parse("")};
    write({&only, 1}, std::vector<std::string>(1));
    return;
  }
  warn_of_greedy(options_, request_);
  LineInput input(options.input, options.on_error);
  bool more = true;
  while (more) {
    std::vector<NumberedJob> lines;
    std::vector<std::string> errors;
    do {
      NumberedJob line;
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

bool LineWriter::read(LineInput& input, NumberedJob& line, std::string& error) {
  // Where each line is an object, a demand that can't be met has always been an answer like others.
  bool answered = !input.skips() && format_.format == OutputFormat::kJsonl;
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

void LineWriter::write(std::span<const NumberedJob> lines, std::span<const std::string> errors) {
  write_jobs(
      lines, request_,
      [&](const WriteRequest& request, const Writer::TakeWritten& take) {
        write_sentences(options_, model_, request, take);
      },
      [&](size_t index, std::vector<std::vector<Written>>&& found) {
        print(lines[index], errors[index], std::move(found));
      });
}

void LineWriter::print(const NumberedJob& line, const std::string& error,
                       std::vector<std::vector<Written>>&& found) {
  if (!found.empty()) {
    format_.write(line.number, task_.choose(std::move(found)), model_.text.tokenizer, output_);
  } else if (!error.empty() && format_.format == OutputFormat::kJsonl) {
    output_.write_line(nlohmann::ordered_json{{"version", 1}, {"error", error}}.dump());
  } else {
    output_.write_line("");
  }
}

}  // namespace bough::cli
