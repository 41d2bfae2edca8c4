// Independent pieces of work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace bough {

/// `requested` threads, or all cores where it is 0.
inline size_t thread_count(int64_t requested) {
  if (requested > 0) return static_cast<size_t>(requested);
  return std::max(1U, std::thread::hardware_concurrency());
}

/// Calls `work(i)` for every i < count, on up to `threads` threads, each of which takes `block`
/// pieces at a time. The first exception is thrown here once all threads have stopped.
template <typename Work>
void parallel_for(size_t count, size_t threads, size_t block, const Work& work) {
  std::atomic<size_t> next = 0;
  std::atomic<bool> failed = false;
  std::exception_ptr failure;
  auto run = [&] {
    try {
      while (!failed) {
        size_t begin = next.fetch_add(block);
        if (begin >= count) return;
        for (size_t i = begin; i < std::min(begin + block, count); ++i) work(i);
      }
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  };
  std::vector<std::jthread> others;
  size_t useful = std::min(threads, (count + block - 1) / block);
  for (size_t i = 1; i < useful; ++i) others.emplace_back(run);
  run();
  others.clear();  // joins
  if (failure) std::rethrow_exception(failure);
}

/// Keeps what is thrown inside of an OpenMP region, which no exception may leave.
class OpenMpErrors {
 public:
  template <typename Work>
  void collect(const Work& work) noexcept {
    if (failed_) return;
    try {
      work();
    } catch (...) {
      if (!failed_.exchange(true)) first_ = std::current_exception();
    }
  }
  /// Behind the region.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::atomic<bool> failed_ = false;
  std::exception_ptr first_;
};

}  // namespace bough
