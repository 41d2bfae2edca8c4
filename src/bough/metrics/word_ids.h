// Words as numbers, for algorithms that compare them many times.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bough {

/// Gives every distinct word a number: 0, 1, 2 … in the order they come up. The words' text must
/// outlive it.
class WordIds {
 public:
  std::vector<int> of(std::span<const std::string_view> words) {
    std::vector<int> ids;
    ids.reserve(words.size());
    for (std::string_view word : words) {
      ids.push_back(known_.try_emplace(word, static_cast<int>(known_.size())).first->second);
    }
    return ids;
  }

  int size() const { return static_cast<int>(known_.size()); }

 private:
  std::unordered_map<std::string_view, int> known_;
};

}  // namespace bough
