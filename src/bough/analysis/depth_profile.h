// How a model's choices change with the depth in the tree: the paper's two figures.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bough/tree/trace.h"

namespace bough {

struct DepthMean {
  double mean = 0.0;
  int64_t count = 0;
};

/// By depth: the mean entropy of the policy at a slot, whatever it did there, as a share of the
/// most that its vocabulary allows (log of its size). Traces without scores or vocabulary don't
/// count.
std::vector<DepthMean> entropy_by_depth(std::span<const Trace> traces);

/// Words by depth and by some tag of theirs.
class TagsByDepth {
 public:
  explicit TagsByDepth(std::vector<std::string> names) : names_(std::move(names)) {}

  /// `tag` counts in the names.
  void add(int depth, size_t tag);

  const std::vector<std::string>& names() const { return names_; }
  int depths() const { return static_cast<int>(counts_.size()); }
  int64_t count(int depth) const;
  int64_t count_of_tag(size_t tag) const;
  int64_t total() const;

  /// The tag's share among the words of a depth, less its share among all words: above zero where
  /// it stands more often than elsewhere. NaN where no word has that depth.
  double deviation(int depth, size_t tag) const;

  /// The most frequent tags.
  std::vector<size_t> frequent(size_t count) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<int64_t>> counts_;  // by depth, by tag
};

}  // namespace bough
