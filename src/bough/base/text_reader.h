// Lines of text: what LineReader gives, with every line checked to be UTF-8.
//
// Lines come one by one, as they are there; empty ones are lines, too. A line that isn't text is an
// error that names file, line and byte, and whoever forgives it can read on behind it.
#pragma once

#include <string>
#include <vector>

#include "bough/base/file.h"

namespace bough {

class TextReader : private LineReader {
 public:
  using LineReader::is_ready;
  using LineReader::line_number;
  using LineReader::LineReader;
  using LineReader::name;

  /// False at the end. BadLine for a line that isn't UTF-8 or has a zero byte.
  bool next(std::string& line);

  /// Of the line that `next` gave last, for messages: "'FILE', line 3".
  std::string place() const;
};

/// How many lines there are; a file, not standard input, for it is read to its end.
int64_t count_lines(const std::string& path);

/// All lines as they are, empty ones too.
std::vector<std::string> read_lines(const std::string& path);

}  // namespace bough
