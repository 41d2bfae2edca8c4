#include "bough/base/parallel.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace bough {
namespace {

TEST(ParallelFor, DoesEveryPieceOnce) {
  for (size_t threads : {1, 2, 5}) {
    for (size_t count : {0, 1, 63, 64, 65, 1000}) {
      std::vector<std::atomic<int>> done(count);
      parallel_for(count, threads, 64, [&](size_t i) { ++done[i]; });
      for (const auto& times : done) EXPECT_EQ(times, 1);
    }
  }
}

TEST(ParallelFor, PassesOnWhatIsThrown) {
  auto fail = [](size_t i) {
    if (i == 777) throw std::runtime_error("777");
  };
  EXPECT_THROW(parallel_for(1000, 3, 10, fail), std::runtime_error);
}

TEST(FirstFailure, KeepsTheFirstAndDoesNothingAfterIt) {
  FirstFailure failure;
  failure.guard([] {});
  EXPECT_NO_THROW(failure.rethrow());
  failure.guard([] { throw std::runtime_error("one"); });
  bool called = false;
  failure.guard([&] { called = true; });
  EXPECT_FALSE(called);
  EXPECT_TRUE(failure.failed());
  EXPECT_THROW(failure.rethrow(), std::runtime_error);
}

}  // namespace
}  // namespace bough
