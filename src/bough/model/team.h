// Loops on OpenMP's threads, whose pool LibTorch, the BLAS and our kernels share.
//
// What a piece of work throws reaches the caller: the first exception, once all threads have
// stopped. Pieces are dealt out here and not by `omp for`, which no thread may leave. For code that
// is compiled with OpenMP; the core has parallel.h.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

#include "bough/base/parallel.h"

namespace bough {

/// Who does which pieces. Where the sums of each thread are added up in the end, the share has to
/// be the same every time: kEven.
enum class Share {
  kEven,    // as many for each thread, one behind the other
  kAsFree,  // the next one for whoever is free
};

/// Calls `work(i, own)` for every i < count, by several threads if that is `worth` it. `own` is
/// what the thread made by `make_own()` before its first piece: buffers that it uses again.
template <typename MakeOwn, typename Work>
void team_for(int64_t count, bool worth, Share share, const MakeOwn& make_own, const Work& work) {
  FirstFailure failure;
  std::atomic<int64_t> next = 0;
#pragma omp parallel if (worth)
  failure.guard([&] {
    auto&& own = make_own();
    if (share == Share::kAsFree) {
      for (int64_t i = next++; i < count && !failure.failed(); i = next++) work(i, own);
      return;
    }
    int64_t threads = omp_get_num_threads();
    int64_t thread = omp_get_thread_num();
    int64_t first = count / threads * thread + std::min(thread, count % threads);
    int64_t last = first + count / threads + (thread < count % threads ? 1 : 0);
    for (int64_t i = first; i < last && !failure.failed(); ++i) work(i, own);
  });
  failure.rethrow();
}

/// The same for work that needs nothing of its thread: `work(i)`.
template <typename Work>
void team_for(int64_t count, bool worth, Share share, const Work& work) {
  team_for(
      count, worth, share, [] { return 0; }, [&](int64_t i, int /*own*/) { work(i); });
}

}  // namespace bough
