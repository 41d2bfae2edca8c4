// Lets sets and maps of words be asked for a std::string_view.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace bough {

struct WordHash {
  using is_transparent = void;
  size_t operator()(std::string_view word) const { return std::hash<std::string_view>()(word); }
};

using WordSet = std::unordered_set<std::string, WordHash, std::equal_to<>>;

}  // namespace bough
