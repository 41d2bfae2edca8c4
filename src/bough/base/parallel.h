// Independent pieces of work on several threads, and what becomes of what they throw.
//
// An exception that leaves a thread, or a region of OpenMP's (model/team.h), ends the process. So
// threads work under a FirstFailure, which keeps the first one until all of them have stopped.
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

/// Catches what several threads throw.
class FirstFailure {
 public:
  /// Calls `work`; where something has failed already, it doesn't.
  template <typename Work>
  void guard(const Work& work) noexcept {
    if (failed_) return;
    try {
      work();
    } catch (...) {
      if (!failed_.exchange(true)) failure_ = std::current_exception();
    }
  }

  bool failed() const { return failed_; }

  /// Throws what was caught first, if anything was. All threads have to be done.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::atomic<bool> failed_ = false;
  std::exception_ptr failure_;
};

/// Calls `work(i)` for every i < count, on up to `threads` threads, each of which takes `block`
/// pieces at a time. The first exception is thrown here once all threads have stopped.
template <typename Work>
void parallel_for(size_t count, size_t threads, size_t block, const Work& work) {
  std::atomic<size_t> next = 0;
  FirstFailure failure;
  auto run = [&] {
    failure.guard([&] {
      while (!failure.failed()) {
        size_t begin = next.fetch_add(block);
        if (begin >= count) return;
        for (size_t i = begin; i < std::min(begin + block, count); ++i) work(i);
      }
    });
  };
  std::vector<std::jthread> others;
  size_t useful = std::min(threads, (count + block - 1) / block);
  for (size_t i = 1; i < useful; ++i) others.emplace_back(run);
  run();
  others.clear();  // joins
  failure.rethrow();
}

}  // namespace bough
