#include "bough/text/bpe.h"

#include <unicode/utf8.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "bough/base/error.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

constexpr auto kNowhere = std::string_view::npos;

uint64_t key_of(uint32_t left, uint32_t right) {
  return uint64_t{left} << 32 | right;
}

std::string with_end(std::string_view symbol) {
  return std::string(symbol) + std::string(kBpeEndOfWord);
}

}  // namespace

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

}  // namespace bough
