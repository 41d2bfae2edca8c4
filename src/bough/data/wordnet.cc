#include "bough/data/wordnet.h"

#include <algorithm>
#include <array>

#include "bough/base/error.h"
#include "bough/base/text_reader.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

constexpr auto kNowhere = std::string_view::npos;
constexpr std::array<std::string_view, 4> kFiles = {"data.noun", "data.verb", "data.adj",
                                                    "data.adv"};
constexpr std::string_view kRemedy =
    "Install Debian's package wordnet-base, or name the folder of WordNet's data files with "
    "--folder";

bool is_one_of(char character, std::string_view characters) {
  return characters.find(character) != kNowhere;
}

/// Whether the quote at `at` opens an example: behind a separator, and set off by a space before it
/// or followed by a word.
bool opens(std::string_view gloss, size_t at) {
  if (at + 1 >= gloss.size()) return false;
  if (at == 0) return true;
  size_t before = gloss.find_last_not_of(' ', at - 1);
  if (before == kNowhere) return true;
  if (before + 1 < at && is_one_of(gloss[before], ";,:")) return true;
  return is_one_of(gloss[before], ";,:.)\"") && !is_one_of(gloss[at + 1], " ;,:.-)\"");
}

/// Whether the quote at `at` can close an example: no word goes on behind it.
bool closes(std::string_view gloss, size_t at) {
  return !opens(gloss, at) && (at + 1 >= gloss.size() || is_one_of(gloss[at + 1], " ;,:.-()\""));
}

/// Where the example that starts at `at` ends: at its own quote, or at the next example's.
size_t end_of_example(std::string_view gloss, size_t at) {
  for (size_t quote = gloss.find('"', at); quote != kNowhere; quote = gloss.find('"', quote + 1)) {
    if (opens(gloss, quote) || closes(gloss, quote)) return quote;
  }
  return kNowhere;
}

/// The example as a line, or nothing where quotes or parentheses in it don't fit together.
std::string clean(std::string_view example) {
  std::string line = one_line(example);
  line.erase(line.find_last_not_of(" ;,:") + 1);
  std::replace(line.begin(), line.end(), '`', '\'');
  auto opened = std::count(line.begin(), line.end(), '(');
  auto closed = std::count(line.begin(), line.end(), ')');
  bool fits = opened == closed && line.find('"') == std::string::npos;
  return fits ? line : "";
}

void read_data_file(const fs::path& path, std::vector<std::string>& examples) {
  if (!fs::is_regular_file(path)) {
    throw DataError("there is no file '{}'. {}", path.string(), kRemedy);
  }
  TextReader reader(path.string());
  std::string line;
  while (reader.next(line)) {
    if (line.empty() || line.starts_with("  ")) continue;  // the licence
    size_t bar = line.find(" | ");
    if (bar == kNowhere) {
      throw DataError(
          "{}, line {}: no gloss; expected ' | ' before it, as in WordNet 3.0's data "
          "files, but found '{}'",
          reader.name(), reader.line_number(), for_message(line));
    }
    for (auto& example : gloss_examples(std::string_view(line).substr(bar + 3))) {
      examples.push_back(std::move(example));
    }
  }
}

}  // namespace

std::vector<std::string> gloss_examples(std::string_view gloss) {
  std::vector<std::string> examples;
  gloss = gloss.substr(0, gloss.find_last_not_of(" \t") + 1);
  for (size_t at = gloss.find('"'); at != kNowhere; at = gloss.find('"', at)) {
    if (!opens(gloss, at)) {
      ++at;
      continue;
    }
    size_t end = end_of_example(gloss, at + 1);
    if (end == kNowhere) break;
    std::string example = clean(gloss.substr(at + 1, end - at - 1));
    if (!example.empty()) examples.push_back(std::move(example));
    at = opens(gloss, end) ? end : end + 1;
  }
  return examples;
}

std::vector<std::string> wordnet_examples(const fs::path& folder) {
  if (!fs::is_directory(folder)) {
    throw DataError("there is no folder '{}'. {}", folder.string(), kRemedy);
  }
  std::vector<std::string> examples;
  for (std::string_view file : kFiles) read_data_file(folder / file, examples);
  return examples;
}

SplitCounts write_wordnet(const WordnetOptions& options, const Tokenizer& tokenizer,
                          const fs::path& out) {
  SplitCorpus corpus(options.endings());
  for (const std::string& example : wordnet_examples(options.folder)) {
    std::string line = join_words(tokenizer.split(example));
    corpus.add(split_of(line), {&line, 1});
  }
  if (corpus.counts().total() == 0) {
    throw DataError("the glosses in '{}' have no examples. {}", options.folder, kRemedy);
  }
  corpus.write(out);
  return corpus.counts();
}

}  // namespace bough
