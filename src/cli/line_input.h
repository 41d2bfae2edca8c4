// Lines that a verb answers, one by one, and what becomes of a bad one: it ends the verb with an
// error that names file and line, or it is skipped, counted and told of at the end.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "bough/base/file.h"
#include "bough/base/text_reader.h"
#include "line_options.h"

namespace bough::cli {

/// Lines that are read, worked on and answered at a time.
constexpr size_t kMostLines = 4096;

/// Reads over lines up to that of this number, whatever they hold.
void pass_over_lines(TextReader& reader, int64_t lines);

class LineInput {
 public:
  /// DataError or UnmetError, without file and line, for a line that can't be read or met.
  using Take = std::function<void(const std::string& line)>;

  LineInput(const std::string& path, OnError rule) : reader_(path), rule_(rule) {}
  /// Those of --shard alone, if it is set; they keep their numbers.
  explicit LineInput(const LineOptions& options);

  /// Hands the next line on. False at the end.
  bool next(const Take& take);

  /// Of the last line, counted from 0; empty and skipped ones are lines, too.
  int64_t number() const { return reader_.line_number() - 1; }

  /// How many lines there are in all; known where --shard is set.
  std::optional<int64_t> total() const { return total_; }
  /// The first line's number.
  int64_t first() const { return first_; }

  /// Why the last line was skipped; empty where it wasn't.
  const std::string& error() const { return error_; }

  /// Whether bad lines are skipped.
  bool skips() const { return rule_ == OnError::kSkip; }

  /// Whether the next line is there without waiting for whoever writes.
  bool is_ready() const { return reader_.is_ready(); }

  /// Says how many were skipped, if any.
  void warn_of_skipped() const;

 private:
  /// `message` names the place, too.
  void skip(const std::string& error, const std::string& message);

  TextReader reader_;
  std::optional<int64_t> total_;
  int64_t first_ = 0;
  int64_t end_ = INT64_MAX;  // the number behind the last line
  OnError rule_;
  std::string line_;
  std::string error_;
  int64_t skipped_ = 0;
  std::string first_skipped_;
};

/// For each line what `answer` says of it; an empty one where it was skipped. Gives the number of
/// lines.
int64_t answer_lines(const LineOptions& options, OutputFile& output,
                     const std::function<std::string(const std::string& line)>& answer);

}  // namespace bough::cli
