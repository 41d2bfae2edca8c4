// Dividing a corpus into training, validation and test data.
//
// The split a sentence belongs to follows from a hash of its text that never changes: a twentieth
// is validation data, a twentieth test data. So a sentence falls into the same split in every run,
// whatever stands around it, and never into two of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bough/base/file.h"
#include "bough/base/options.h"

namespace bough {

enum class Split { kTrain, kValid, kTest };

constexpr std::array<Split, 3> kAllSplits = {Split::kTrain, Split::kValid, Split::kTest};
constexpr std::array<std::string_view, 3> kSplitNames = {"train", "valid", "test"};

constexpr std::string_view name_of(Split split) {
  return kSplitNames[static_cast<size_t>(split)];
}

/// By `stable_hash(key) % 20`: 0 is validation data, 1 is test data.
Split split_of(std::string_view key);

/// A file of a corpus and what shall stand in it.
struct CorpusFile {
  std::string name;
  std::string_view text;
};

/// Writes the files into the folder, which is made where it isn't there. All of them are written
/// whole before the first appears under its name; where that fails, no folder is left that wasn't
/// there before.
void write_together(const fs::path& folder, std::span<const CorpusFile> files);

/// The first file of a corpus with these endings that the folder has already, if any.
std::optional<fs::path> find_corpus(const fs::path& folder, std::span<const std::string> endings);

struct SplitCounts {
  int64_t train = 0;
  int64_t valid = 0;
  int64_t test = 0;
  int64_t duplicates = 0;  // left out, as the same line (or pair) was there before

  int64_t total() const { return train + valid + test; }
  bool operator==(const SplitCounts&) const = default;
};

/// Collects sentences (one column) or aligned sentences (several), each once a split, and writes
/// them in the order they came.
class SplitCorpus {
 public:
  /// One ending a column: {".txt"}, or {".de", ".en"}.
  explicit SplitCorpus(std::vector<std::string> endings);

  /// False for a row that was there before, or that has an empty column. One string a column, none
  /// with a line break in it.
  bool add(Split split, std::span<const std::string> row);

  const SplitCounts& counts() const { return counts_; }

  /// Writes `train<ending>`, `valid<ending>`, `test<ending>` into the folder, together.
  void write(const fs::path& folder, std::span<const Split> splits = kAllSplits) const;

 private:
  struct Part {
    std::unordered_set<std::string> seen;  // rows, their columns joined by line breaks
    std::vector<std::string> texts;        // a file's content for each column
  };

  std::vector<std::string> endings_;
  std::array<Part, kAllSplits.size()> parts_;
  SplitCounts counts_;
};

/// The text as one line: white space and control characters become single spaces between words.
std::string one_line(std::string_view text);

}  // namespace bough
