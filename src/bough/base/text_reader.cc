#include "bough/base/text_reader.h"

#include <fmt/format.h>

#include "bough/base/utf8.h"

namespace bough {

bool TextReader::next(std::string& line) {
  if (!LineReader::next(line)) return false;
  size_t bad = find_bad_utf8(line);
  if (bad == std::string::npos) return true;
  constexpr size_t kShownBefore = 10;
  constexpr size_t kShown = 30;
  throw BadLine("{}: not UTF-8 at byte {} of the line (near '{}')", place(), bad + 1,
                for_message(line.substr(bad < kShownBefore ? 0 : bad - kShownBefore, kShown)));
}

std::string TextReader::place() const {
  return fmt::format("{}, line {}", name(), line_number());
}

int64_t count_lines(const std::string& path) {
  LineReader reader(path);
  std::string line;
  for (bool more = true; more;) {
    try {
      more = reader.next(line);
    } catch (const BadLine&) {
      // It is a line all the same; whoever reads it says what is wrong.
    }
  }
  return reader.line_number();
}

std::vector<std::string> read_lines(const std::string& path) {
  TextReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

}  // namespace bough
