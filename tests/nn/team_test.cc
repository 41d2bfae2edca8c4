// Loops on OpenMP's threads, and what becomes of errors there.
#include "bough/model/team.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "bough/base/error.h"
#include "bough/model/runtime.h"
#include "bough/model/torch.h"
#include "thread_number.h"

namespace bough {
namespace {

constexpr std::array kShares = {Share::kEven, Share::kAsFree};

TEST(Team, DoesEveryPieceOnce) {
  for (int threads : {1, 2, 5}) {
    ThreadNumber set(threads);
    for (Share share : kShares) {
      for (int64_t count : {0, 1, 4, 63, 1000}) {
        for (bool worth : {false, true}) {
          std::vector<std::atomic<int>> done(static_cast<size_t>(count));
          team_for(count, worth, share, [&](int64_t i) { ++done[static_cast<size_t>(i)]; });
          for (const auto& times : done) EXPECT_EQ(times, 1);
        }
      }
    }
  }
}

TEST(Team, PassesOnWhatIsThrownAndCanBeUsedAgain) {
  for (int threads : {1, 2, 5}) {
    ThreadNumber set(threads);
    for (Share share : kShares) {
      for (int64_t bad : {0, 31, 63}) {
        auto fail = [&](int64_t i) {
          if (i == bad) throw UnmetError("piece {}", i);
        };
        EXPECT_THROW(team_for(64, true, share, fail), UnmetError);
        EXPECT_THROW(team_for(64, true, share, [](int64_t) { throw 1; }), int) << "by all threads";
        auto no_buffers = []() -> int { throw std::bad_alloc(); };
        EXPECT_THROW(team_for(64, true, share, no_buffers, [](int64_t, int) {}), std::bad_alloc);
        EXPECT_NO_THROW(team_for(64, true, share, [](int64_t) {}));
      }
    }
  }
}

/// Sums of threads are added up in the order of the threads: who has which piece must not change.
TEST(Team, AnEvenShareIsAlwaysTheSame) {
  ThreadNumber set(3);
  std::vector<int> owner(10, -1);
  auto own = [] { return omp_get_thread_num(); };
  team_for(10, true, Share::kEven, own,
           [&](int64_t i, int thread) { owner[static_cast<size_t>(i)] = thread; });
  EXPECT_EQ(owner, (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 2, 2, 2}));
}

TEST(PlainErrors, AreErrorsOfOurs) {
  auto message_of = [](auto work) -> std::string {
    try {
      with_plain_errors(work);
    } catch (const RunError& error) {
      return error.what();
    }
    return "no RunError";
  };
  std::string shapes = message_of([] { return torch::ones({2, 3}).mm(torch::ones({2, 3})); });
  EXPECT_NE(shapes.find("cannot be multiplied"), std::string::npos) << shapes;
  EXPECT_EQ(shapes.find("frame #"), std::string::npos) << "a backtrace is nothing for people";
  std::string range = message_of([] { return std::vector<int>(2).at(5); });
  EXPECT_NE(range.find("mistake in bough"), std::string::npos) << range;
}

TEST(PlainErrors, LeaveTheRestAlone) {
  EXPECT_EQ(with_plain_errors([] { return 7; }), 7);
  EXPECT_THROW(with_plain_errors([] { throw UsageError("usage"); }), UsageError);
  EXPECT_THROW(with_plain_errors([] { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_THROW(with_plain_errors([] { throw 1; }), int);
}

}  // namespace
}  // namespace bough
