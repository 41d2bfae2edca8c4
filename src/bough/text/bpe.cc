#include "bough/text/bpe.h"

#include <unicode/utf8.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "bough/base/error.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

constexpr auto kNowhere = std::string_view::npos;
constexpr std::string_view kVersionMark = "#version:";
constexpr size_t kMostKnownWords = 1U << 20;

std::string_view without_blanks_around(std::string_view line) {
  size_t begin = line.find_first_not_of("\r\n ");
  if (begin == kNowhere) return {};
  return line.substr(begin, line.find_last_not_of("\r\n ") + 1 - begin);
}

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

uint64_t key_of(uint32_t left, uint32_t right) {
  return uint64_t{left} << 32 | right;
}

std::string with_end(std::string_view symbol) {
  return std::string(symbol) + std::string(kBpeEndOfWord);
}

bool goes_on(std::string_view piece) {
  return piece.ends_with(kBpeSeparator);
}

}  // namespace

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

std::vector<std::string_view> bpe_characters(std::string_view word) {
  std::vector<std::string_view> characters;
  auto length = static_cast<int32_t>(word.size());
  for (int32_t at = 0; at < length;) {
    int32_t start = at;
    U8_FWD_1(word.data(), at, length);
    characters.push_back(word.substr(start, at - start));
  }
  return characters;
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

// ---- a word being merged

/// The parts of a word in their order, each a stretch of its text and a symbol's number, and the
/// merges that fit, earliest first.
class Bpe::MergingWord {
 public:
  MergingWord(const Bpe& bpe, std::string_view word) : bpe_(bpe), word_(word) {
    size_t begin = 0;
    for (std::string_view character : bpe_characters(word)) {
      size_t end = begin + character.size();
      bool is_last = end == word.size() && !bpe.separate_end_;
      uint32_t symbol = bpe.symbols_.find(is_last ? with_end(character) : character);
      add_part(begin, end, symbol);
      begin = end;
    }
    if (bpe.separate_end_) add_part(begin, begin, bpe.symbols_.find(kBpeEndOfWord));
    for (size_t i = 0; i + 1 < parts_.size(); ++i) consider(i);
  }

  std::vector<std::string_view> merge_all() {
    std::vector<size_t> places;
    while (!fitting_.empty()) {
      // All places of one merge, before what the first of them makes possible.
      uint32_t rank = fitting_.top().first;
      places.clear();
      for (; !fitting_.empty() && fitting_.top().first == rank; fitting_.pop()) {
        places.push_back(fitting_.top().second);
      }
      for (size_t place : places) merge_at(place, rank);
    }
    std::vector<std::string_view> pieces;
    for (const Part& part : parts_) {
      if (part.end > part.begin) {
        pieces.push_back(word_.substr(part.begin, part.end - part.begin));
      }
    }
    return pieces;
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  struct Part {
    size_t begin, end;  // equal for the end of the word and for what went into the part before it
    uint32_t symbol;
    size_t previous, next;
    bool is_gone = false;
  };

  void add_part(size_t begin, size_t end, uint32_t symbol) {
    size_t place = parts_.size();
    if (place > 0) parts_.back().next = place;
    parts_.push_back({begin, end, symbol, place == 0 ? kNone : place - 1, kNone});
  }

  const Merge* merge_fitting_at(size_t place) const {
    const Part& part = parts_[place];
    if (part.is_gone || part.next == kNone) return nullptr;
    return bpe_.find_merge(part.symbol, parts_[part.next].symbol);
  }

  void consider(size_t place) {
    if (const Merge* merge = merge_fitting_at(place)) fitting_.emplace(merge->rank, place);
  }

  /// Merges the part with the next one, if that is still what the merge takes.
  void merge_at(size_t place, uint32_t rank) {
    const Merge* merge = merge_fitting_at(place);
    if (merge == nullptr || merge->rank != rank) return;
    Part& part = parts_[place];
    Part& next = parts_[part.next];
    part.end = next.end;
    part.symbol = merge->symbol;
    part.next = next.next;
    next.is_gone = true;
    next.begin = next.end;
    if (part.next != kNone) parts_[part.next].previous = place;
    consider(place);
    if (part.previous != kNone) consider(part.previous);
  }

  const Bpe& bpe_;
  std::string_view word_;
  std::vector<Part> parts_;
  using RankAndPlace = std::pair<uint32_t, size_t>;
  std::priority_queue<RankAndPlace, std::vector<RankAndPlace>, std::greater<>> fitting_;
};

// ---- words in pieces

Bpe::Bpe(const BpeCodes& codes, const BpeOptions& options)
    : merges_(codes.merges),
      separate_end_(codes.separate_end),
      glossaries_(options.glossaries),
      has_vocabulary_(!options.vocabulary.empty()) {
  for (const std::string& glossary : glossaries_) {
    if (glossary.empty() || goes_on(glossary)) {
      throw UsageError("'{}' can't be a glossary: it is empty or ends in the separator '{}'",
                       glossary, kBpeSeparator);
    }
  }
  auto limit = static_cast<size_t>(options.first_merges);
  if (options.first_merges >= 0 && limit < merges_.size()) merges_.resize(limit);
  // Backwards, so that of a merge that stands there twice the first counts. Where several merges
  // make the same symbol, that whose last line comes first is undone, as in the reference.
  for (size_t i = merges_.size(); i-- > 0;) {
    const auto& [left, right] = merges_[i];
    auto rank = static_cast<uint32_t>(i);
    uint32_t symbol = symbols_.add(left + right);
    uint64_t key = key_of(symbols_.add(left), symbols_.add(right));
    bool is_new = merge_of_.insert_or_assign(key, Merge{rank, symbol}).second;
    if (is_new) maker_of_[symbol] = rank;
  }
  if (!has_vocabulary_) return;
  for (const auto& [piece, count] : read_bpe_vocabulary(options.vocabulary)) {
    if (count >= options.vocabulary_threshold) vocabulary_.insert(piece);
  }
}

const Bpe::Merge* Bpe::find_merge(uint32_t left, uint32_t right) const {
  auto found = merge_of_.find(key_of(left, right));
  return found == merge_of_.end() ? nullptr : &found->second;
}

const BpeMerge* Bpe::made_by(std::string_view symbol) const {
  auto found = maker_of_.find(symbols_.find(symbol));
  return found == maker_of_.end() ? nullptr : &merges_[found->second];
}

const BpeMerge* Bpe::merge_that_makes(std::string_view piece, bool is_last) const {
  if (!is_last) return made_by(piece);
  const BpeMerge* merge = made_by(with_end(piece));
  bool cuts_text = merge != nullptr && merge->right.ends_with(kBpeEndOfWord) &&
                   merge->right.size() > kBpeEndOfWord.size();
  if (cuts_text) return merge;
  return separate_end_ ? made_by(piece) : nullptr;
}

std::vector<std::string_view> Bpe::cut_out_glossaries(std::string_view word) const {
  std::vector<std::string_view> stretches = {word};
  for (const std::string& glossary : glossaries_) {
    std::vector<std::string_view> cut;
    for (std::string_view rest : stretches) {
      for (size_t at; (at = rest.find(glossary)) != kNowhere;) {
        if (at > 0) cut.push_back(rest.substr(0, at));
        cut.push_back(rest.substr(at, glossary.size()));
        rest.remove_prefix(at + glossary.size());
      }
      if (!rest.empty()) cut.push_back(rest);
    }
    stretches = std::move(cut);
  }
  return stretches;
}

bool Bpe::is_frequent(std::string_view piece, bool is_last) const {
  std::string written(piece);
  if (!is_last) written += kBpeSeparator;
  return vocabulary_.contains(written);
}

/// Adds the piece, or those it was merged from, until they are frequent or can't be cut.
void Bpe::add_frequent(std::string_view piece, bool is_last,
                       std::vector<std::string_view>& pieces) const {
  std::vector<std::pair<std::string_view, bool>> waiting = {{piece, is_last}};
  while (!waiting.empty()) {
    std::tie(piece, is_last) = waiting.back();
    waiting.pop_back();
    const BpeMerge* merge =
        is_frequent(piece, is_last) ? nullptr : merge_that_makes(piece, is_last);
    if (merge == nullptr) {
      pieces.push_back(piece);
      continue;
    }
    size_t cut = merge->left.size();
    waiting.emplace_back(piece.substr(cut), is_last);
    waiting.emplace_back(piece.substr(0, cut), false);
  }
}

std::vector<std::string_view> Bpe::encode(std::string_view word) const {
  std::vector<std::string_view> merged = MergingWord(*this, word).merge_all();
  if (!has_vocabulary_) return merged;
  std::vector<std::string_view> pieces;
  for (size_t i = 0; i < merged.size(); ++i) {
    add_frequent(merged[i], i + 1 == merged.size(), pieces);
  }
  return pieces;
}

std::vector<std::string> Bpe::split_word(std::string_view word) const {
  std::vector<std::string> pieces;
  for (std::string_view stretch : cut_out_glossaries(word)) {
    bool is_glossary =
        std::find(glossaries_.begin(), glossaries_.end(), stretch) != glossaries_.end();
    if (is_glossary) {
      pieces.emplace_back(stretch);
    } else {
      for (std::string_view piece : encode(stretch)) pieces.emplace_back(piece);
    }
  }
  if (!pieces.empty() && goes_on(pieces.back())) {
    pieces.back().pop_back();
    pieces.emplace_back(1, kBpeSeparator.back());
  }
  for (size_t i = 0; i + 1 < pieces.size(); ++i) pieces[i] += kBpeSeparator;
  return pieces;
}

// ---- sentences

const std::vector<std::string>& BpeSplitter::pieces_of(std::string_view word) {
  auto found = known_.find(word);
  if (found != known_.end()) return found->second;
  if (known_.size() >= kMostKnownWords) known_.clear();
  return known_.emplace(word, bpe_.split_word(word)).first->second;
}

std::vector<std::string> BpeSplitter::split(std::span<const std::string> words) {
  std::vector<std::string> pieces;
  for (const std::string& word : words) {
    const auto& of_word = pieces_of(word);
    pieces.insert(pieces.end(), of_word.begin(), of_word.end());
  }
  return pieces;
}

std::string BpeSplitter::split_line(std::string_view line) {
  std::string_view text = without_blanks_around(line);
  size_t begin = text.empty() ? 0 : static_cast<size_t>(text.data() - line.data());
  std::string result(line.substr(0, begin));
  for (bool is_first = true; !text.empty();) {
    size_t end = std::min(text.find(' '), text.size());
    for (const std::string& piece : pieces_of(text.substr(0, end))) {
      if (!std::exchange(is_first, false)) result += ' ';
      result += piece;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result += line.substr(line.find_last_not_of("\r\n ") + 1);
}

std::vector<std::string> join_bpe(std::span<const std::string> pieces) {
  std::vector<std::string> words;
  bool is_open = false;  // the last word goes on
  for (std::string_view piece : pieces) {
    if (!is_open) words.emplace_back();
    is_open = goes_on(piece);
    if (is_open) piece.remove_suffix(kBpeSeparator.size());
    words.back() += piece;
  }
  return words;
}

std::string join_bpe_line(std::string_view line) {
  const std::string inside = std::string(kBpeSeparator) + ' ';
  std::string text;
  for (size_t at; (at = line.find(inside)) != kNowhere;) {
    text += line.substr(0, at);
    line.remove_prefix(at + inside.size());
  }
  if (goes_on(line)) line.remove_suffix(kBpeSeparator.size());
  return text += line;
}

}  // namespace bough
