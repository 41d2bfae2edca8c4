#include "bough/text/bpe_codes.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

#include "bough/base/error.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

constexpr auto kNowhere = std::string_view::npos;
constexpr std::string_view kVersionMark = "#version:";

/// Whether the version in the first line has the end of a word as a symbol of its own.
bool has_separate_end(std::string_view header) {
  std::string_view version = without_blanks_around(header.substr(kVersionMark.size()));
  if (version == "0.2") return false;
  if (version == "0.1") return true;
  throw DataError("codes of version '{}', but only 0.1 and 0.2 can be read", for_message(version));
}

/// The two texts that one space parts.
std::pair<std::string_view, std::string_view> halves_of(std::string_view line,
                                                        std::string_view expected) {
  line = without_blanks_around(line);
  size_t space = line.find(' ');
  if (space == kNowhere || line.find(' ', space + 1) != kNowhere) {
    throw DataError("expected {} with one space between them, but found '{}'", expected,
                    for_message(line));
  }
  if (find_bad_utf8(line) != kNowhere) throw DataError("not UTF-8: '{}'", for_message(line));
  return {line.substr(0, space), line.substr(space + 1)};
}

/// Calls `take` with each line; what it throws gets file and line. Empty lines may only stand at
/// the end.
void read_each_line(const fs::path& path, const std::function<void(std::string_view)>& take) {
  LineReader reader(path.string());
  int64_t empty = 0;  // the first empty line
  std::string line;
  while (reader.next(line)) {
    if (line.empty()) {
      if (empty == 0) empty = reader.line_number();
      continue;
    }
    if (empty != 0) throw DataError("{}, line {}: the line is empty", reader.name(), empty);
    try {
      take(line);
    } catch (const DataError& error) {
      throw DataError("{}, line {}: {}", reader.name(), reader.line_number(), error.what());
    }
  }
}

}  // namespace

std::string_view without_blanks_around(std::string_view line) {
  size_t begin = line.find_first_not_of("\r\n ");
  if (begin == kNowhere) return {};
  return line.substr(begin, line.find_last_not_of("\r\n ") + 1 - begin);
}

BpeCodes BpeCodes::load(const fs::path& path) {
  BpeCodes codes;
  bool is_first = true;
  codes.separate_end = true;  // unless the first line says otherwise
  read_each_line(path, [&](std::string_view line) {
    if (std::exchange(is_first, false) && line.starts_with(kVersionMark)) {
      codes.separate_end = has_separate_end(line);
      return;
    }
    auto [left, right] = halves_of(line, "the two symbols of a merge");
    codes.merges.push_back({std::string(left), std::string(right)});
  });
  if (is_first) throw DataError("'{}' is empty: these are no codes", path.string());
  return codes;
}

void BpeCodes::save(const fs::path& path) const {
  std::string text = fmt::format("{} {}\n", kVersionMark, separate_end ? "0.1" : "0.2");
  for (const BpeMerge& merge : merges) text += merge.left + " " + merge.right + "\n";
  write_file(path, text);
}

WordCounts read_bpe_vocabulary(const fs::path& path) {
  WordCounts counts;
  read_each_line(path, [&](std::string_view line) {
    auto [piece, number] = halves_of(line, "a piece and its count");
    int64_t count = 0;
    auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
    if (error != std::errc() || end != number.data() + number.size()) {
      throw DataError("'{}' is no count", for_message(number));
    }
    counts[std::string(piece)] = count;
  });
  return counts;
}

void write_bpe_vocabulary(const fs::path& path, const WordCounts& counts) {
  std::vector<std::pair<int64_t, std::string_view>> sorted;
  for (const auto& [piece, count] : counts) sorted.emplace_back(-count, piece);
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (const auto& [negative, piece] : sorted) text += fmt::format("{} {}\n", piece, -negative);
  write_file(path, text);
}

}  // namespace bough
