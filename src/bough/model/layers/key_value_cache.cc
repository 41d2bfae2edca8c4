#include "bough/model/layers/key_value_cache.h"

#include <cmath>

#include "bough/model/kernels/attention.h"
#include "bough/model/kernels/rows.h"

namespace bough {

void KeyValueCache::append(const float* key, const float* value) {
  int64_t place = size_ % kKeyBlock;
  auto block = static_cast<size_t>(kKeyBlock * width_);
  if (place == 0) keys_.resize(keys_.size() + block);
  float* to = keys_.data() + keys_.size() - block + place;
  for (int64_t j = 0; j < width_; ++j) to[j * kKeyBlock] = key[j];
  values_.insert(values_.end(), value, value + width_);
  ++size_;
}

void KeyValueCache::attend(const float* query, int64_t heads, float* context) const {
  int64_t columns = width_ / heads;
  int64_t blocks = (size_ + kKeyBlock - 1) / kKeyBlock;
  thread_local std::vector<float> weights;
  weights.resize(static_cast<size_t>(blocks * kKeyBlock));
  std::span<float> used(weights.data(), static_cast<size_t>(size_));
  for (int64_t head = 0; head < heads; ++head) {
    int64_t first = head * columns;
    for (int64_t block = 0; block < blocks; ++block) {
      score_block(query + first, keys_.data() + (block * width_ + first) * kKeyBlock, columns,
                  weights.data() + block * kKeyBlock);
    }
    scale(used, 1.0F / std::sqrt(static_cast<float>(columns)));
    scale(used, 1.0F / exponentiate(used).sum);
    mix_values(weights.data(), size_, values_.data() + first, width_, columns, context + first);
  }
}

}  // namespace bough
