#include "bough/data/dataset.h"

#include <algorithm>
#include <numeric>

#include "bough/base/random.h"

namespace bough {

namespace {

constexpr size_t kBatchesInPool = 100;

template <typename T>
void shuffle(std::vector<T>& items, RandomStream& random) {
  for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

}  // namespace

void BatchPlan::cut(const Dataset& data, const BatchOptions& options, size_t begin, size_t end) {
  std::stable_sort(order_.begin() + static_cast<int64_t>(begin),
                   order_.begin() + static_cast<int64_t>(end),
                   [&](int64_t a, int64_t b) { return data.length(a) < data.length(b); });
  auto full = [&](size_t first, size_t next) {
    if (options.batch_tokens == 0) {
      return next - first >= static_cast<size_t>(options.batch_size);
    }
    // Sorted, so `next` is the longest: what the batch would cost if all were as long.
    return static_cast<int64_t>(next - first + 1) * data.length(order_[next]) >
           options.batch_tokens;
  };
  for (size_t first = begin; first < end;) {
    size_t next = first + 1;
    while (next < end && !full(first, next)) ++next;
    batches_.emplace_back(first, next);
    first = next;
  }
}

BatchPlan BatchPlan::shuffled(const Dataset& data, const BatchOptions& options, uint64_t seed,
                              uint64_t pass) {
  BatchPlan plan;
  plan.order_.resize(static_cast<size_t>(data.size()));
  std::iota(plan.order_.begin(), plan.order_.end(), 0);
  RandomStream random(seed, Purpose::kShuffle, pass);
  shuffle(plan.order_, random);
  int64_t sentences = options.batch_size;
  if (options.batch_tokens > 0 && data.word_count() > 0) {
    sentences = std::max<int64_t>(1, options.batch_tokens * data.size() / data.word_count());
  }
  size_t pool = kBatchesInPool * static_cast<size_t>(sentences);
  for (size_t begin = 0; begin < plan.order_.size(); begin += pool) {
    plan.cut(data, options, begin, std::min(begin + pool, plan.order_.size()));
  }
  shuffle(plan.batches_, random);
  return plan;
}

BatchPlan BatchPlan::sorted(const Dataset& data, const BatchOptions& options) {
  BatchPlan plan;
  plan.order_.resize(static_cast<size_t>(data.size()));
  std::iota(plan.order_.begin(), plan.order_.end(), 0);
  plan.cut(data, options, 0, plan.order_.size());
  return plan;
}

}  // namespace bough
