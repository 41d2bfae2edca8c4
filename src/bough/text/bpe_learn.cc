#include "bough/text/bpe_learn.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

#include "bough/base/error.h"
#include "bough/base/utf8.h"
#include "bough/text/bpe.h"
#include "bough/text/word_numbers.h"

namespace bough {

namespace {

/// Two neighbouring symbols, by their numbers.
struct SymbolPair {
  uint32_t left;
  uint32_t right;

  bool operator==(const SymbolPair&) const = default;
};

struct PairHash {
  size_t operator()(const SymbolPair& pair) const {
    return std::hash<uint64_t>{}(uint64_t{pair.left} << 32 | pair.right);
  }
};

/// A merge only changes the counts of pairs beside the places it is made at, so the counts are kept
/// and corrected. The queue holds each pair with a count that is at least its own: counts that fell
/// are put right when they come up, counts that rose are queued anew.
class Learner {
 public:
  Learner(const WordCounts& counts, const BpeLearnOptions& options) : options_(options) {
    for (const auto& [text, count] : counts) {
      if (!text.empty() && count > 0) add_word(text, count);
    }
    queue_grown_pairs();
  }

  BpeCodes learn() {
    BpeCodes codes;
    while (codes.merges.size() < static_cast<size_t>(options_.merges)) {
      const SymbolPair* pair = most_frequent();
      if (pair == nullptr) break;
      codes.merges.push_back(
          {std::string(symbols_.word(pair->left)), std::string(symbols_.word(pair->right))});
      merge(*pair);
    }
    return codes;
  }

 private:
  struct Word {
    std::vector<uint32_t> symbols;
    int64_t count;
  };

  struct PairCount {
    int64_t count = 0;
    int64_t queued = 0;           // the count it is in the queue with; 0 where it isn't
    std::vector<uint32_t> words;  // where it is or was, some of them twice
  };

  struct Candidate {
    int64_t count;
    SymbolPair pair;
  };

  struct IsBehind {
    const WordNumbers& symbols;

    bool operator()(const Candidate& a, const Candidate& b) const {
      if (a.count != b.count) return a.count < b.count;
      int order = symbols.word(a.pair.left).compare(symbols.word(b.pair.left));
      if (order != 0) return order < 0;
      return symbols.word(a.pair.right) < symbols.word(b.pair.right);
    }
  };

  void add_word(std::string_view text, int64_t count) {
    if (text.find_first_of(" \r\n") != std::string_view::npos) {
      throw DataError("the word '{}' has a blank or a line break in it", for_message(text));
    }
    auto characters = bpe_characters(text);
    std::string last = std::string(characters.back()) + std::string(kBpeEndOfWord);
    characters.back() = last;
    auto index = static_cast<uint32_t>(words_.size());
    words_.push_back({symbols_.add_all(characters), count});
    const auto& symbols = words_.back().symbols;
    for (size_t i = 0; i + 1 < symbols.size(); ++i) {
      add_to_count({symbols[i], symbols[i + 1]}, count, index);
    }
  }

  void add_to_count(const SymbolPair& pair, int64_t count, uint32_t word) {
    PairCount& state = pairs_[pair];
    state.count += count;
    if (state.words.empty() || state.words.back() != word) state.words.push_back(word);
    grown_.push_back(pair);
  }

  void queue_grown_pairs() {
    for (const SymbolPair& pair : grown_) queue(pair, pairs_[pair]);
    grown_.clear();
  }

  void queue(const SymbolPair& pair, PairCount& state) {
    if (state.count < options_.min_frequency || state.count <= state.queued) return;
    state.queued = state.count;
    queue_.push({state.count, pair});
  }

  /// Null where no pair is frequent enough.
  const SymbolPair* most_frequent() {
    while (!queue_.empty()) {
      auto [count, pair] = queue_.top();
      queue_.pop();
      auto found = pairs_.find(pair);
      if (found == pairs_.end() || found->second.queued != count) continue;
      if (found->second.count == count) return &found->first;
      found->second.queued = 0;
      queue(pair, found->second);
    }
    return nullptr;
  }

  void merge(SymbolPair pair) {
    auto words = std::move(pairs_[pair].words);
    uint32_t merged = symbols_.add(std::string(symbols_.word(pair.left)) +
                                   std::string(symbols_.word(pair.right)));
    for (uint32_t word : words) merge_in(word, pair, merged);
    pairs_.erase(pair);
    queue_grown_pairs();
  }

  void merge_in(uint32_t index, const SymbolPair& pair, uint32_t merged) {
    auto& [symbols, count] = words_[index];
    after_.clear();
    is_used_.assign(symbols.size(), false);  // by a merge, of the symbols before it
    is_made_.clear();                        // by a merge, of the symbols after it
    for (size_t i = 0; i < symbols.size(); ++i) {
      bool fits = i + 1 < symbols.size() && SymbolPair{symbols[i], symbols[i + 1]} == pair;
      after_.push_back(fits ? merged : symbols[i]);
      is_made_.push_back(fits);
      if (fits) is_used_[i] = is_used_[i + 1] = true;
      if (fits) ++i;
    }
    if (after_.size() == symbols.size()) return;
    for (size_t i = 0; i + 1 < symbols.size(); ++i) {
      if (is_used_[i] || is_used_[i + 1]) pairs_[{symbols[i], symbols[i + 1]}].count -= count;
    }
    for (size_t i = 0; i + 1 < after_.size(); ++i) {
      if (is_made_[i] || is_made_[i + 1]) add_to_count({after_[i], after_[i + 1]}, count, index);
    }
    symbols = after_;
  }

  BpeLearnOptions options_;
  WordNumbers symbols_;
  std::vector<Word> words_;
  std::unordered_map<SymbolPair, PairCount, PairHash> pairs_;
  std::priority_queue<Candidate, std::vector<Candidate>, IsBehind> queue_{IsBehind{symbols_}};
  std::vector<SymbolPair> grown_;  // pairs whose count rose and that aren't queued for it yet
  std::vector<uint32_t> after_;    // these three: room for merge_in
  std::vector<bool> is_used_;
  std::vector<bool> is_made_;
};

}  // namespace

BpeCodes learn_bpe(const WordCounts& counts, const BpeLearnOptions& options) {
  return Learner(counts, options).learn();
}

}  // namespace bough
