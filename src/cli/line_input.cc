#include "line_input.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "bough/base/error.h"

namespace bough::cli {

LineInput::LineInput(const LineOptions& options) : LineInput(options.input, options.on_error) {
  Shard shard = options.shard.parse();
  if (shard.is_whole()) return;
  if (options.input == "-") {
    throw UsageError(
        "--shard needs --input FILE: how many lines standard input has shows only at its end");
  }
  total_ = count_lines(options.input);
  first_ = shard.begin(*total_);
  end_ = shard.end(*total_);
  pass_over_lines(reader_, first_);
}

void pass_over_lines(TextReader& reader, int64_t lines) {
  std::string line;
  while (reader.line_number() < lines) {
    try {
      reader.next(line);
    } catch (const BadLine&) {
      // Another part's business.
    }
  }
}

bool LineInput::next(const Take& take) {
  error_.clear();
  if (reader_.line_number() >= end_) return false;
  try {
    if (!reader_.next(line_)) return false;
  } catch (const BadLine& bad) {
    if (!skips()) throw;
    skip(bad.what(), bad.what());
    return true;
  }
  auto with_place = [&](const std::exception& error) {
    return fmt::format("{}: {}", reader_.place(), error.what());
  };
  try {
    take(line_);
  } catch (const UnmetError& error) {
    if (!skips()) throw UnmetError("{}", with_place(error));
    skip(error.what(), with_place(error));
  } catch (const DataError& error) {
    if (!skips()) throw DataError("{}", with_place(error));
    skip(error.what(), with_place(error));
  }
  return true;
}

void LineInput::skip(const std::string& error, const std::string& message) {
  error_ = error;
  if (skipped_++ == 0) first_skipped_ = message;
}

void LineInput::warn_of_skipped() const {
  if (skipped_ == 0) return;
  spdlog::warn("{} of {} lines skipped; the first: {}", skipped_, reader_.line_number() - first_,
               first_skipped_);
}

int64_t answer_lines(const LineOptions& options, OutputFile& output,
                     const std::function<std::string(const std::string& line)>& answer) {
  LineInput input(options);
  std::string answered;
  int64_t lines = 0;
  while (input.next([&](const std::string& line) { answered = answer(line); })) {
    output.write_line(input.error().empty() ? answered : "");
    ++lines;
  }
  input.warn_of_skipped();
  return lines;
}

}  // namespace bough::cli
