// The keys and values that one sentence has been read as, in one layer, and attention over them: a
// stepper's memory. What it gives depends on nothing else, to the last bit.
#pragma once

#include <cstdint>
#include <vector>

namespace bough {

class KeyValueCache {
 public:
  explicit KeyValueCache(int64_t width) : width_(width) {}

  void append(const float* key, const float* value);

  /// Writes what each head of the query finds: `query` and `context` are [width].
  void attend(const float* query, int64_t heads, float* context) const;

  int64_t size() const { return size_; }

 private:
  int64_t width_;
  int64_t size_ = 0;
  std::vector<float> keys_;    // [blocks, width, kKeyBlock], see kernels/attention.h
  std::vector<float> values_;  // [size, width]
};

}  // namespace bough
