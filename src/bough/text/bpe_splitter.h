// Sentences in pieces and back again.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bough/text/bpe.h"
#include "bough/text/word_hash.h"

namespace bough {

/// Cuts sentences, and remembers the words it has met. One a thread.
class BpeSplitter {
 public:
  /// `bpe` must outlive it.
  explicit BpeSplitter(const Bpe& bpe) : bpe_(bpe) {}

  std::vector<std::string> split(std::span<const std::string> words);
  /// Words and pieces with spaces between them.
  std::string split_line(std::string_view line);

 private:
  const std::vector<std::string>& pieces_of(std::string_view word);

  const Bpe& bpe_;
  std::unordered_map<std::string, std::vector<std::string>, WordHash, std::equal_to<>> known_;
};

/// The words of a sentence in pieces: what `split` was given. A separator at the very end, as a
/// model may write it, is left out.
std::vector<std::string> join_bpe(std::span<const std::string> pieces);
std::string join_bpe_line(std::string_view line);

}  // namespace bough
