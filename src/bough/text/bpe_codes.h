// Byte-pair codes as a file, and pieces with their counts: both as subword-nmt 0.3.9 writes them.
//
// A codes file says `#version: 0.2` in its first line. One without such a line is of version 0.1,
// where the end of a word is a symbol of its own, `l o w e r </w>`; it is read too. Of a merge that
// stands there twice the first counts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bough/base/file.h"
#include "bough/text/vocabulary.h"

namespace bough {

constexpr std::string_view kBpeSeparator = "@@";
constexpr std::string_view kBpeEndOfWord = "</w>";

/// Whether more of the word follows the piece.
inline bool goes_on(std::string_view piece) {
  return piece.ends_with(kBpeSeparator);
}

struct BpeMerge {
  std::string left;
  std::string right;

  bool operator==(const BpeMerge&) const = default;
};

struct BpeCodes {
  std::vector<BpeMerge> merges;  // the earliest learned first
  bool separate_end = false;     // version 0.1: the end of a word is a symbol of its own

  /// DataError names file and line.
  static BpeCodes load(const fs::path& path);
  void save(const fs::path& path) const;

  bool operator==(const BpeCodes&) const = default;
};

/// A file of `piece count` lines, as subword-nmt's get_vocab writes it. DataError names file and
/// line.
WordCounts read_bpe_vocabulary(const fs::path& path);

/// By falling count, equal counts in byte order.
void write_bpe_vocabulary(const fs::path& path, const WordCounts& counts);

/// A line without line breaks and blanks at its ends.
std::string_view without_blanks_around(std::string_view line);

}  // namespace bough
