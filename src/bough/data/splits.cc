#include "bough/data/splits.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace bough {

namespace {

int64_t& count_of(SplitCounts& counts, Split split) {
  switch (split) {
    case Split::kValid:
      return counts.valid;
    case Split::kTest:
      return counts.test;
    case Split::kTrain:
      break;
  }
  return counts.train;
}

/// Makes a folder and its parents. Those that are new and empty at the end are removed again.
class NewFolders {
 public:
  explicit NewFolders(const fs::path& folder) {
    std::error_code ignored;
    fs::path path = folder.has_filename() ? folder : folder.parent_path();  // not `out/`
    for (; !path.empty() && !fs::exists(path, ignored); path = path.parent_path()) {
      made_.push_back(path);
    }
    try {
      make_folder(folder);
    } catch (...) {
      remove_empty();
      throw;
    }
  }
  ~NewFolders() { remove_empty(); }
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;

 private:
  void remove_empty() const {
    std::error_code ignored;  // one that holds something is not removed
    for (const fs::path& path : made_) fs::remove(path, ignored);
  }

  std::vector<fs::path> made_;  // the innermost first
};

}  // namespace

Split split_of(std::string_view key) {
  switch (stable_hash(key) % 20) {
    case 0:
      return Split::kValid;
    case 1:
      return Split::kTest;
    default:
      return Split::kTrain;
  }
}

SplitCorpus::SplitCorpus(std::vector<std::string> endings) : endings_(std::move(endings)) {
  for (Part& part : parts_) part.texts.resize(endings_.size());
}

bool SplitCorpus::add(Split split, std::span<const std::string> row) {
  if (std::any_of(row.begin(), row.end(), [](const auto& column) { return column.empty(); })) {
    return false;
  }
  std::string key;
  for (const std::string& column : row) key += column + '\n';
  Part& part = parts_[static_cast<size_t>(split)];
  if (!part.seen.insert(std::move(key)).second) {
    ++counts_.duplicates;
    return false;
  }
  for (size_t i = 0; i < row.size(); ++i) part.texts[i] += row[i] + '\n';
  ++count_of(counts_, split);
  return true;
}

void SplitCorpus::write(const fs::path& folder, std::span<const Split> splits) const {
  std::vector<CorpusFile> files;
  for (Split split : splits) {
    for (size_t i = 0; i < endings_.size(); ++i) {
      files.push_back(
          {std::string(name_of(split)) + endings_[i], parts_[static_cast<size_t>(split)].texts[i]});
    }
  }
  write_together(folder, files);
}

void write_together(const fs::path& folder, std::span<const CorpusFile> files) {
  NewFolders folders(folder);
  std::vector<std::unique_ptr<OutputFile>> outputs;
  for (const CorpusFile& file : files) {
    outputs.push_back(std::make_unique<OutputFile>((folder / file.name).string()));
    outputs.back()->write(file.text);
    outputs.back()->flush();
  }
  for (auto& output : outputs) output->commit();
}

std::optional<fs::path> find_corpus(const fs::path& folder, std::span<const std::string> endings) {
  for (Split split : kAllSplits) {
    for (const std::string& ending : endings) {
      fs::path path = folder / (std::string(name_of(split)) + ending);
      std::error_code ignored;
      if (fs::exists(path, ignored)) return path;
    }
  }
  return std::nullopt;
}

std::string one_line(std::string_view text) {
  std::string line;
  bool space = false;
  auto length = static_cast<int32_t>(text.size());
  for (int32_t at = 0; at < length;) {
    int32_t start = at;
    UChar32 code_point;
    U8_NEXT_OR_FFFD(text.data(), at, length, code_point);
    if (u_isUWhiteSpace(code_point) || u_iscntrl(code_point)) {
      space = true;
      continue;
    }
    if (space && !line.empty()) line += ' ';
    space = false;
    line += text.substr(start, at - start);
  }
  return line;
}

}  // namespace bough
