// Many threads that have their sentences written by one: each gets what it would have got alone,
// its own errors, and nothing of others. The policy is a script; ThreadSanitizer can look on.
#include "bough/serve/batch_worker.h"

#include <gtest/gtest.h>

#include <future>
#include <set>
#include <stdexcept>

#include "bough/base/error.h"
#include "bough/generate/decoder.h"
#include "bough/generate/sentence_job.h"

namespace bough {
namespace {

constexpr int64_t kActions = kSpecials + 20;

/// Logits by what a row has read: each row's are its own.
class ScriptedStepper : public Stepper {
 public:
  void start(std::span<const SourceIds> sources) override { begin(rows_ = {}, sources); }
  void advance(std::span<const StepInput> inputs, std::span<const SourceIds> fresh) override {
    for (size_t row = 0; row < rows_.size(); ++row) {
      rows_[row] = rows_[row] * 31 + static_cast<uint64_t>(inputs[row].action);
    }
    begin(rows_, fresh);
  }
  void keep(std::span<const int64_t> rows) override {
    std::vector<uint64_t> kept;
    for (int64_t row : rows) kept.push_back(rows_.at(static_cast<size_t>(row)));
    rows_ = kept;
  }
  void scores(int64_t, std::span<const WordId>, std::span<float>) const override {}
  void all_scores(std::span<float> logits) const override {
    if (broken) throw RunError("the policy is broken");
    for (size_t row = 0; row < rows_.size(); ++row) {
      RandomStream random(rows_[row], Purpose::kTest);
      for (int64_t i = 0; i < kActions; ++i) {
        logits[row * kActions + static_cast<size_t>(i)] = static_cast<float>(random.uniform());
      }
    }
  }
  std::span<const float> end_logits() const override { return {}; }
  int64_t rows() const override { return static_cast<int64_t>(rows_.size()); }
  int64_t vocabulary() const override { return kActions; }

  static inline std::atomic<bool> broken{false};

 private:
  static void begin(std::vector<uint64_t>& rows, std::span<const SourceIds> sources) {
    for (SourceIds source : sources) rows.push_back(source.empty() ? 1 : 7 + source[0]);
  }

  std::vector<uint64_t> rows_;  // what each has read, as a number
};

std::unique_ptr<Stepper> scripted() {
  return std::make_unique<ScriptedStepper>();
}

using Sentences = std::vector<std::vector<WordId>>;

/// So many sentences of at least so many words, by a seed.
Sentences write(JobRunner& runner, uint64_t seed, int64_t count, int64_t least = 1,
                const std::function<void()>& between_steps = {}) {
  Sentences sentences;
  Decoder({}, {.min_length = least, .max_length = least + 20})
      .decode(runner, {.count = count, .seed = seed, .between_steps = between_steps},
              [&](DecodedTree&& tree) { sentences.push_back(tree.tree.sentence()); });
  return sentences;
}

Sentences alone(uint64_t seed, int64_t count, int64_t least = 1) {
  ScriptedStepper stepper;
  OwnBatch batch(stepper, 3);
  return write(batch, seed, count, least);
}

TEST(BatchWorker, EachOfManyThreadsGetsItsOwnSentences) {
  BatchWorker worker;
  size_t batch = worker.add_batch(scripted, 4);
  size_t other = worker.add_batch(scripted, 4);
  constexpr uint64_t kThreads = 12;
  std::vector<std::future<Sentences>> written;
  for (uint64_t seed = 1; seed <= kThreads; ++seed) {
    written.push_back(std::async(std::launch::async, [&, seed] {
      BatchClient client(worker, seed % 3 == 0 ? other : batch);
      Sentences first = write(client, seed, 5);
      Sentences more = write(client, 100 + seed, 4);  // a client may come again
      first.insert(first.end(), more.begin(), more.end());
      return first;
    }));
  }
  for (uint64_t seed = 1; seed <= kThreads; ++seed) {
    Sentences expected = alone(seed, 5);
    Sentences more = alone(100 + seed, 4);
    expected.insert(expected.end(), more.begin(), more.end());
    EXPECT_EQ(written[seed - 1].get(), expected) << seed;
  }
  EXPECT_EQ(worker.load(batch).waiting, 0);
  EXPECT_GT(worker.load(batch).row_steps, worker.load(batch).steps) << "nothing was side by side";
}

/// A job that stays until it is let go.
class Staying : public Job {
 public:
  explicit Staying(std::atomic<bool>& end, int64_t rows = 1) : end_(end), rows_(rows) {}
  SourceIds source() const override { return {}; }
  int64_t most_rows() const override { return rows_; }
  void choose(std::span<ActionDistribution>) override {}
  NextRows take() override {
    if (end_) return {};
    return {{0}, {StepInput{}}};
  }

 private:
  std::atomic<bool>& end_;
  int64_t rows_;
};

/// Somebody whose jobs stay until `end`; each may take so many rows.
std::future<void> occupy(BatchWorker& worker, size_t batch, int64_t jobs, std::atomic<bool>& end,
                         int64_t rows = 1) {
  return std::async(std::launch::async, [&worker, batch, jobs, &end, rows] {
    BatchClient client(worker, batch);
    client.run(
        {.count = jobs, .make = [&](int64_t) { return std::make_unique<Staying>(end, rows); }});
  });
}

void wait_until(const std::function<bool()>& happened) {
  while (!happened()) std::this_thread::yield();
}

TEST(BatchWorker, AShortRequestPassesAmongLongOnes) {
  BatchWorker worker;
  size_t batch = worker.add_batch(scripted, 4);
  std::atomic<bool> end = false;
  std::future<void> staying = occupy(worker, batch, 3, end);
  wait_until([&] { return worker.load(batch).rows == 3; });
  {
    BatchClient client(worker, batch);
    EXPECT_EQ(write(client, 5, 6), alone(5, 6));
  }
  end = true;
  staying.get();
}

TEST(BatchWorker, WhoHasNothingInAFullBatchIsItsGuest) {
  BatchWorker worker;
  size_t batch = worker.add_batch(scripted, 4);
  std::atomic<bool> end = false;
  std::future<void> staying = occupy(worker, batch, 9, end);
  wait_until([&] { return worker.load(batch).rows == 4; });
  std::future<void> guest = occupy(worker, batch, 9, end);
  wait_until([&] { return worker.load(batch).rows == 5; });
  {
    BatchClient client(worker, batch);
    EXPECT_EQ(write(client, 5, 6), alone(5, 6));
  }
  wait_until([&] { return worker.load(batch).rows == 5; });
  end = true;
  staying.get();
  guest.get();
}

TEST(BatchWorker, AWideJobHoldsUpNobodyAndIsHeldUpByNobody) {
  BatchWorker worker;
  size_t batch = worker.add_batch(scripted, 4);
  std::atomic<bool> end = false;
  std::future<void> wide = occupy(worker, batch, 2, end, 10);  // more rows than there are
  wait_until([&] { return worker.load(batch).rows == 1; });
  {
    BatchClient client(worker, batch);
    EXPECT_EQ(write(client, 5, 6), alone(5, 6));
  }
  end = true;
  wide.get();
  // The other way round: others keep coming.
  std::atomic<bool> done = false;
  auto others = std::async(std::launch::async, [&] {
    for (uint64_t seed = 1; !done; ++seed) {
      BatchClient client(worker, batch);
      EXPECT_EQ(write(client, seed, 8).size(), 8U);
    }
  });
  wait_until([&] { return worker.load(batch).rows > 1; });
  occupy(worker, batch, 1, end, 10).get();
  done = true;
  others.get();
}

TEST(BatchWorker, ManySentencesForOneDontKeepAnotherWaiting) {
  BatchWorker worker;
  size_t batch = worker.add_batch(scripted, 2);
  std::atomic<int64_t> done = 0;  // of the many
  std::atomic<bool> stop = false;
  auto many = std::async(std::launch::async, [&] {
    BatchClient client(worker, batch);
    auto check = [&] {
      if (stop) throw Interrupted("enough");
    };
    Decoder({}, {.min_length = 5})
        .decode(client, {.count = 1'000'000, .between_steps = check}, [&](auto&&) { ++done; });
  });
  wait_until([&] { return done > 10; });
  BatchClient client(worker, batch);
  EXPECT_EQ(write(client, 9, 2), alone(9, 2));
  stop = true;
  EXPECT_THROW(many.get(), Interrupted);
  EXPECT_LT(done, 1'000'000);
}

TEST(BatchWorker, WhoGivesUpLeavesAtTheNextStepAndTheOthersGoOn) {
  BatchWorker worker;
  size_t batch = worker.add_batch(scripted, 8);
  std::atomic<bool> never = false;
  std::atomic<bool> gone = false;
  auto quitter = std::async(std::launch::async, [&] {
    BatchClient client(worker, batch);
    client.run({.count = 20,
                .make = [&](int64_t) { return std::make_unique<Staying>(never); },
                .between_steps =
                    [&] {
                      if (gone) throw Interrupted("the listener has gone");
                    }});
  });
  wait_until([&] { return worker.load(batch).rows == 8; });
  std::atomic<bool> end = false;
  std::future<void> staying = occupy(worker, batch, 5, end);
  wait_until([&] { return worker.load(batch).rows == 9; });
  gone = true;
  EXPECT_THROW(quitter.get(), Interrupted);
  wait_until([&] { return worker.load(batch).rows == 5; });
  BatchClient client(worker, batch);
  EXPECT_EQ(write(client, 3, 5), alone(3, 5));
  end = true;
  staying.get();
}

TEST(BatchWorker, WhatAJobThrowsIsItsOwnClientsAffair) {
  class Broken : public Staying {
   public:
    using Staying::Staying;
    void choose(std::span<ActionDistribution>) override { throw UnmetError("can't be met"); }
  };
  BatchWorker worker;
  size_t batch = worker.add_batch(scripted, 8);
  std::atomic<bool> end = false;
  std::future<void> staying = occupy(worker, batch, 2, end);
  wait_until([&] { return worker.load(batch).rows == 2; });
  BatchClient client(worker, batch);
  EXPECT_THROW(
      client.run({.count = 3, .make = [&](int64_t) { return std::make_unique<Broken>(end); }}),
      UnmetError);
  EXPECT_EQ(write(client, 4, 3), alone(4, 3)) << "and it may go on";
  end = true;
  EXPECT_NO_THROW(staying.get());
}

TEST(BatchWorker, AfterAFailureOfThePolicyTheBatchBeginsAnew) {
  BatchWorker worker;
  size_t batch = worker.add_batch(scripted, 8);
  std::atomic<bool> never = false;
  std::future<void> staying = occupy(worker, batch, 2, never);
  wait_until([&] { return worker.load(batch).rows == 2; });
  ScriptedStepper::broken = true;
  EXPECT_THROW(staying.get(), RunError);
  ScriptedStepper::broken = false;
  BatchClient client(worker, batch);
  EXPECT_EQ(write(client, 6, 3), alone(6, 3));
}

TEST(BatchWorker, WhoGivesUpIsToldNoMore) {
  constexpr int kNews = 100;
  /// It has much to tell at once.
  class Talking : public Staying {
   public:
    Talking(std::atomic<bool>& end, BatchClient& client, int& told)
        : Staying(end), client_(client), told_(told) {}
    NextRows take() override {
      for (int i = 0; i < kNews; ++i) client_.tell([this] { ++told_; });
      return Staying::take();
    }

   private:
    BatchClient& client_;
    int& told_;
  };
  BatchWorker worker;
  size_t batch = worker.add_batch(scripted, 2);
  BatchClient client(worker, batch);
  std::atomic<bool> never = false;
  int told = 0;
  auto check = [&] {
    if (told > 0) throw Interrupted("it is too late");
  };
  EXPECT_THROW(
      client.run({.count = 1,
                  .make = [&](int64_t) { return std::make_unique<Talking>(never, client, told); },
                  .between_steps = check}),
      Interrupted);
  EXPECT_EQ(told, 1);
}

TEST(BatchWorker, WhatIsToldIsToldInOrderByTheWaitingThread) {
  BatchWorker worker;
  size_t batch = worker.add_batch(scripted, 2);
  BatchClient client(worker, batch);
  std::set<std::thread::id> threads;
  std::map<int64_t, int> steps;
  Decoder({}, {.min_length = 4})
      .decode(client,
              {.count = 5,
               .on_action =
                   [&](int64_t sentence, const Draft& draft, Action) {
                     client.tell([&, sentence, done = draft.tree().steps()] {
                       threads.insert(std::this_thread::get_id());
                       EXPECT_EQ(done, ++steps[sentence]);
                     });
                   }},
              [&](DecodedTree&&) { threads.insert(std::this_thread::get_id()); });
  EXPECT_EQ(threads, std::set<std::thread::id>{std::this_thread::get_id()});
  EXPECT_EQ(steps.size(), 5U);
}

}  // namespace
}  // namespace bough
