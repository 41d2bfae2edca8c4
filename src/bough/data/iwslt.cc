#include "bough/data/iwslt.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "bough/base/error.h"
#include "bough/base/text_reader.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

constexpr auto kNowhere = std::string_view::npos;
constexpr int kFirstYear = 14;
constexpr int kUsualYear = 16;  // named where there is none
constexpr int kLastYear = 17;
constexpr std::string_view kRemedy =
    "Name the folder of a WIT3 archive with --raw, and its languages with --source and --target";

using Take = std::function<void(Split, const std::string&, const std::string&)>;

/// Both sides of a part of the corpus.
struct Paths {
  fs::path source;
  fs::path target;
};

/// The character that an entity (`amp`, `#252`, `#xfc`) stands for.
std::optional<char32_t> character_of(std::string_view entity) {
  constexpr std::array<std::pair<std::string_view, char32_t>, 5> kNamed = {
      {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};
  for (const auto& [name, character] : kNamed) {
    if (entity == name) return character;
  }
  if (!entity.starts_with('#')) return std::nullopt;
  entity.remove_prefix(1);
  int base = entity.starts_with('x') ? 16 : 10;
  if (base == 16) entity.remove_prefix(1);
  uint32_t number = 0;
  const char* end = entity.data() + entity.size();
  auto [stop, error] = std::from_chars(entity.data(), end, number, base);
  bool is_surrogate = number >= 0xd800 && number < 0xe000;
  if (error != std::errc() || stop != end || is_surrogate || number > 0x10ffff) return std::nullopt;
  return number;
}

/// What is no entity stays as it is.
std::string without_entities(std::string_view text) {
  constexpr size_t kLongestEntity = 12;  // looking no further keeps long text cheap
  std::string result;
  for (size_t at; (at = text.find('&')) != kNowhere;) {
    result += text.substr(0, at);
    text.remove_prefix(at);
    size_t end = text.substr(0, kLongestEntity).find(';');
    auto character = end == kNowhere ? std::nullopt : character_of(text.substr(1, end - 1));
    if (character) {
      append_code_point(result, *character);
      text.remove_prefix(end + 1);
    } else {
      result += '&';
      text.remove_prefix(1);
    }
  }
  return result += text;
}

/// The segments of a training file: its lines without those that tell about a talk.
std::vector<std::string> read_tagged_lines(const fs::path& path) {
  auto lines = read_lines(path.string());
  std::erase_if(lines, [](const std::string& line) {
    size_t first = line.find_first_not_of(" \t");
    return first != std::string::npos && line[first] == '<';
  });
  for (std::string& line : lines) line = one_line(line);
  return lines;
}

/// The files of a set, of whichever year they are there.
Paths paths_of_set(const IwsltOptions& options, const std::string& set) {
  auto paths_of = [&](int year) {
    auto path = [&](const std::string& language) {
      return fs::path(options.raw) / fmt::format("IWSLT{}.TED.{}.{}-{}.{}.xml", year, set,
                                                 options.source, options.target, language);
    };
    return Paths{path(options.source), path(options.target)};
  };
  std::vector<Paths> found;
  for (int year = kFirstYear; year <= kLastYear; ++year) {
    Paths paths = paths_of(year);
    if (fs::exists(paths.source) || fs::exists(paths.target)) found.push_back(paths);
  }
  if (found.size() > 1) {
    throw DataError("'{}' and '{}' are both there. Leave the set of one year in the folder",
                    found[0].source.string(), found[1].source.string());
  }
  return found.empty() ? paths_of(kUsualYear) : found[0];
}

Paths training_paths(const IwsltOptions& options) {
  auto path = [&](const std::string& language) {
    return fs::path(options.raw) /
           fmt::format("train.tags.{}-{}.{}", options.source, options.target, language);
  };
  return {path(options.source), path(options.target)};
}

using Read = std::vector<std::string> (*)(const fs::path&);
using Segments = std::vector<std::string>;

/// The segments of both sides, as many of the one as of the other.
std::pair<Segments, Segments> read_sides(const Paths& paths, Read read) {
  for (const fs::path& path : {paths.source, paths.target}) {
    if (!fs::exists(path)) throw DataError("there is no file '{}'. {}", path.string(), kRemedy);
  }
  std::pair<Segments, Segments> sides = {read(paths.source), read(paths.target)};
  if (sides.first.size() != sides.second.size()) {
    throw DataError("'{}' has {} segments and '{}' has {}: they don't belong together",
                    paths.source.string(), sides.first.size(), paths.target.string(),
                    sides.second.size());
  }
  return sides;
}

}  // namespace

std::vector<std::string> read_segments(const fs::path& path) {
  constexpr std::string_view kOpening = "<seg";
  constexpr std::string_view kClosing = "</seg>";
  std::string file;
  for (const std::string& line : read_lines(path.string())) file += line + '\n';
  std::string_view text = file;
  std::vector<std::string> segments;
  for (size_t at = 0; (at = text.find(kOpening, at)) != kNowhere;) {
    size_t begin = std::min(text.find('>', at), text.size() - 1) + 1;
    size_t end = text.find(kClosing, begin);
    if (end == kNowhere || text.find(kOpening, begin) < end) {
      auto line = 1 + std::count(text.begin(), text.begin() + static_cast<int64_t>(at), '\n');
      throw DataError("'{}', line {}: a {}> without its {}", path.string(), line, kOpening,
                      kClosing);
    }
    segments.push_back(one_line(without_entities(text.substr(begin, end - begin))));
    at = end;
  }
  if (segments.empty()) throw DataError("'{}' has no segments ({}>)", path.string(), kOpening);
  return segments;
}

int64_t read_iwslt(const IwsltOptions& options, const Take& take) {
  if (options.source == options.target) {
    throw UsageError("--source and --target are both '{}'", options.source);
  }
  int64_t empty_pairs = 0;
  auto read_part = [&](Split split, const Paths& paths, Read read) {
    auto [sources, targets] = read_sides(paths, read);
    for (size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].empty() || targets[i].empty()) {
        ++empty_pairs;
      } else {
        take(split, sources[i], targets[i]);
      }
    }
  };
  read_part(Split::kTrain, training_paths(options), &read_tagged_lines);
  read_part(Split::kValid, paths_of_set(options, options.valid_set), &read_segments);
  read_part(Split::kTest, paths_of_set(options, options.test_set), &read_segments);
  return empty_pairs;
}

IwsltCounts write_iwslt(const IwsltOptions& options, const Tokenizer& tokenizer,
                        const fs::path& out) {
  auto written = [&](const std::string& text) {
    if (options.tokenize) return join_words(tokenizer.split(text));
    return tokenizer.options().lowercase ? lower_case(text) : text;
  };
  std::array<int64_t, kAllSplits.size()> pairs{};
  std::array<std::string, 2 * kAllSplits.size()> texts;  // two a split
  int64_t empty_pairs =
      read_iwslt(options, [&](Split split, const std::string& source, const std::string& target) {
        auto part = static_cast<size_t>(split);
        texts[2 * part] += written(source) + '\n';
        texts[2 * part + 1] += written(target) + '\n';
        ++pairs[part];
      });
  std::vector<CorpusFile> files;
  std::vector<std::string> endings = options.endings();
  for (size_t i = 0; i < texts.size(); ++i) {
    files.push_back({std::string(kSplitNames[i / 2]) + endings[i % 2], texts[i]});
  }
  write_together(out, files);
  return {.pairs = {.train = pairs[0], .valid = pairs[1], .test = pairs[2]},
          .empty_pairs = empty_pairs};
}

}  // namespace bough
