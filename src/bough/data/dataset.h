// Sentences as numbers, in one piece of memory, and the batches of a pass over them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bough/base/options.h"
#include "bough/text/vocabulary.h"

namespace bough {

class Dataset {
 public:
  void add(std::span<const WordId> sentence) {
    words_.insert(words_.end(), sentence.begin(), sentence.end());
    begins_.push_back(words_.size());
  }

  int64_t size() const { return static_cast<int64_t>(begins_.size()) - 1; }
  int64_t word_count() const { return static_cast<int64_t>(words_.size()); }

  std::span<const WordId> sentence(int64_t index) const {
    auto i = static_cast<size_t>(index);
    return {words_.data() + begins_[i], begins_[i + 1] - begins_[i]};
  }
  int64_t length(int64_t index) const { return static_cast<int64_t>(sentence(index).size()); }

 private:
  std::vector<WordId> words_;
  std::vector<size_t> begins_{0};
};

struct BatchOptions {
  int64_t batch_size = 32;
  int64_t batch_tokens = 0;

  void declare(OptionSet& set) {
    set.integer("batch-size", batch_size, {1, 1'000'000}, "sentences in a batch");
    set.integer("batch-tokens", batch_tokens, {0, 1'000'000'000},
                "words in a batch, instead of --batch-size; 0: off");
  }
};

/// The batches of one pass: sentence indices, cut into batches of like length.
class BatchPlan {
 public:
  /// Shuffled by (seed, pass): pools of a hundred batches are sorted by length, cut, and the
  /// batches shuffled again. Every sentence stands in exactly one batch.
  static BatchPlan shuffled(const Dataset& data, const BatchOptions& options, uint64_t seed,
                            uint64_t pass);

  /// All sentences by length, the same each time: for validation.
  static BatchPlan sorted(const Dataset& data, const BatchOptions& options);

  int64_t size() const { return static_cast<int64_t>(batches_.size()); }
  std::span<const int64_t> batch(int64_t index) const {
    const auto& [begin, end] = batches_[static_cast<size_t>(index)];
    return {order_.data() + begin, end - begin};
  }

 private:
  /// Sorts order_[begin, end) by length and cuts it into batches.
  void cut(const Dataset& data, const BatchOptions& options, size_t begin, size_t end);

  std::vector<int64_t> order_;
  std::vector<std::pair<size_t, size_t>> batches_;
};

}  // namespace bough
