// Jobs that come and go in a running batch: what each writes is its own affair.
#include "bough/generate/running_batch.h"
#include "bough/base/error.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "bough/generate/decoder.h"
#include "bough/generate/sentence_job.h"
#include "bough/model/layers/functions.h"
#include "test_models.h"

namespace bough {
namespace {

using Actions = std::vector<WordId>;

/// Sentences of a random policy, each with its own sampler, bounds and random stream.
class RunningBatchTest : public testing::Test {
 protected:
  RunningBatchTest() : policy_(request_for(options())) {}

  static PolicyOptions options() {
    PolicyOptions options = small_options(true);
    options.encoder = EncoderKind::kBag;
    return options;
  }

  SentenceRequest request(uint64_t number, Actions& result) {
    SamplerOptions sampler;
    sampler.decode = number % 2 == 0 ? Decode::kSample : Decode::kGreedy;
    sampler.temperature = 0.5 + 0.1 * static_cast<double>(number % 7);
    DecodeBounds bounds{.min_length = static_cast<int64_t>(1 + number % 3),
                        .max_length = static_cast<int64_t>(4 + number % 9)};
    return {.source = sources_.sentence(static_cast<int64_t>(number) % sources_.size()),
            .draft = Decoder(sampler, bounds).draft({}),
            .sampler = Sampler(sampler),
            .random = {number, Purpose::kTest},
            .on_end = [&result](DecodedTree&& tree) { result = tree.tree.actions(kEnd); }};
  }

  Actions alone(uint64_t number) {
    Actions result;
    std::unique_ptr<Stepper> stepper = policy_.stepper();
    RunningBatch batch(*stepper, 1);
    batch.submit(std::make_unique<SentenceJob>(request(number, result)));
    while (batch.step()) continue;
    return result;
  }

  torch::NoGradGuard no_gradients_;
  LstmPolicy policy_;
  Dataset sources_ = random_dataset(5, 3);
};

TEST_F(RunningBatchTest, AJobWritesTheSameWheneverItJoins) {
  constexpr uint64_t kJobs = 30;
  std::unique_ptr<Stepper> stepper = policy_.stepper();
  RunningBatch batch(*stepper, 6);
  std::vector<Actions> results(kJobs);
  uint64_t submitted = 0;
  size_t most = 0;
  for (uint64_t step = 0; submitted < kJobs || batch.active() + batch.waiting() > 0; ++step) {
    // Some at once, some one by one, some only when nothing is left to do.
    uint64_t wave = submitted < 12 ? 4 : 1;
    bool due = submitted < 20 ? step % 3 == 0 : batch.active() == 0;
    for (uint64_t i = 0; i < wave && due && submitted < kJobs; ++i, ++submitted) {
      batch.submit(std::make_unique<SentenceJob>(request(submitted, results[submitted])));
    }
    batch.step();
    EXPECT_LE(stepper->rows(), 6);
    most = std::max(most, batch.active());
  }
  EXPECT_GT(most, 2U);
  if (!uses_kernels(policy_.embedding()))
    GTEST_SKIP() << "without kernels rows know each other by rounding";
  for (uint64_t i = 0; i < kJobs; ++i) EXPECT_EQ(results[i], alone(i)) << i;
}

TEST_F(RunningBatchTest, ACancelledJobLeavesAndTheOthersGoOn) {
  std::unique_ptr<Stepper> stepper = policy_.stepper();
  RunningBatch batch(*stepper, 3);
  std::vector<Actions> results(5);
  std::vector<std::atomic<bool>> cancel(5);
  for (uint64_t i = 0; i < 5; ++i) {
    SentenceRequest own = request(10 + i, results[i]);
    own.cancel = &cancel[i];
    batch.submit(std::make_unique<SentenceJob>(std::move(own)));
  }
  batch.step();
  batch.step();
  ASSERT_EQ(batch.waiting(), 2U);
  cancel[1] = true;  // one that is being written, in the middle
  cancel[4] = true;  // one that waits
  while (batch.step()) continue;
  for (uint64_t i : {0, 2, 3}) {
    EXPECT_FALSE(results[i].empty());
    if (uses_kernels(policy_.embedding())) {
      EXPECT_EQ(results[i], alone(10 + i)) << i;
    }
  }
  EXPECT_TRUE(results[1].empty());
  EXPECT_TRUE(results[4].empty());
}

TEST_F(RunningBatchTest, EveryActionIsToldInItsTurn) {
  std::unique_ptr<Stepper> stepper = policy_.stepper();
  RunningBatch batch(*stepper, 2);
  Actions result;
  Actions told;
  SentenceRequest own = request(4, result);
  own.on_action = [&](const Draft& draft, Action action) {
    told.push_back(action.word);
    EXPECT_EQ(draft.tree().steps(), static_cast<int>(told.size()));
    EXPECT_TRUE(result.empty());
  };
  batch.submit(std::make_unique<SentenceJob>(std::move(own)));
  size_t steps = 0;
  while (batch.step()) EXPECT_EQ(told.size(), ++steps);
  EXPECT_EQ(told, result);
}

/// Some words, those with a number that is no multiple of `left_out`, and the special symbols.
WordList words_but_each(WordId left_out) {
  auto words = std::make_shared<std::vector<WordId>>();
  for (WordId word = 0; word < kSmallVocabulary; ++word) {
    if (word < kSpecials || word % left_out != 0) words->push_back(word);
  }
  return words;
}

TEST_F(RunningBatchTest, AJobWritesWithWhatItListsAlone) {
  constexpr uint64_t kJobs = 24;
  auto write = [&](int64_t rows) {
    std::unique_ptr<Stepper> stepper = policy_.stepper();
    RunningBatch batch(*stepper, rows);
    std::vector<Actions> results(kJobs);
    for (uint64_t i = 0; i < kJobs; ++i) {
      SentenceRequest own = request(i, results[i]);
      own.listed = words_but_each(static_cast<WordId>(2 + i % 4));
      batch.submit(std::make_unique<SentenceJob>(std::move(own)));
    }
    while (batch.step()) continue;
    return results;
  };
  std::vector<Actions> results = write(7);
  std::set<WordId> written;
  for (uint64_t i = 0; i < kJobs; ++i) {
    auto each = static_cast<WordId>(2 + i % 4);
    for (WordId action : results[i]) {
      if (action < kSpecials) continue;
      EXPECT_NE(action % each, 0) << "job " << i;
      written.insert(action);
    }
  }
  EXPECT_GT(written.size(), 10U);
  if (uses_kernels(policy_.embedding())) {
    EXPECT_EQ(results, write(1));
  }
}

TEST_F(RunningBatchTest, AListOfAllWordsChangesNothing) {
  for (uint64_t i = 0; i < 10; ++i) {
    Actions result;
    std::unique_ptr<Stepper> stepper = policy_.stepper();
    RunningBatch batch(*stepper, 1);
    SentenceRequest listing = request(i, result);
    listing.listed = words_but_each(kSmallVocabulary);
    batch.submit(std::make_unique<SentenceJob>(std::move(listing)));
    while (batch.step()) continue;
    EXPECT_EQ(result, alone(i));
  }
}

TEST_F(RunningBatchTest, ThatSomeJobsListTheirWordsIsAMistake) {
  std::unique_ptr<Stepper> stepper = policy_.stepper();
  RunningBatch batch(*stepper, 2);
  Actions result;
  batch.submit(std::make_unique<SentenceJob>(request(1, result)));
  SentenceRequest listing = request(2, result);
  listing.listed = words_but_each(3);
  batch.submit(std::make_unique<SentenceJob>(std::move(listing)));
  EXPECT_THROW(batch.step(), RunError);
}

TEST_F(RunningBatchTest, WhatIsDemandedIsListed) {
  Demands demands;
  demands.given = {{9, "nine"}, {12, "twelve"}};
  demands.gaps.resize(3);
  demands.max_length = 6;
  Prompt prompt{.source = sources_.sentence(0),
                .demands = std::make_shared<Demands>(demands),
                .words = words_but_each(3)};
  EXPECT_TRUE(std::ranges::binary_search(*prompt.listed(), 9));
  EXPECT_EQ(prompt.listed()->size(), prompt.words->size() + 2);
  SamplerOptions greedy;
  greedy.decode = Decode::kGreedy;
  Decoder(greedy, {.max_length = 6})
      .decode(*policy_.stepper(), {.prompts = {&prompt, 1}}, [](DecodedTree&& decoded) {
        std::vector<WordId> words = decoded.tree.sentence();
        EXPECT_EQ(std::ranges::count(words, 9), 1);
        EXPECT_EQ(std::ranges::count(words, 12), 1);
        EXPECT_EQ(std::ranges::count_if(words, [](WordId word) { return word % 3 == 0; }), 2);
      });
}

TEST_F(RunningBatchTest, WhatAJobThrowsComesOut) {
  class Broken : public Job {
   public:
    SourceIds source() const override { return {}; }
    void choose(std::span<ActionDistribution>) override { throw std::runtime_error("broken"); }
    NextRows take() override { return {}; }
  };
  std::unique_ptr<Stepper> stepper = policy_.stepper();
  RunningBatch batch(*stepper, 4);
  for (int i = 0; i < 4; ++i) batch.submit(std::make_unique<Broken>());
  EXPECT_THROW(batch.step(), std::runtime_error);
}

TEST_F(RunningBatchTest, WhatLibTorchThrowsComesOutAsAnErrorOfOurs) {
  class Broken : public Job {
   public:
    SourceIds source() const override { return {}; }
    void choose(std::span<ActionDistribution>) override {}
    NextRows take() override { TORCH_CHECK(false, "no such shape"); }
  };
  std::unique_ptr<Stepper> stepper = policy_.stepper();
  RunningBatch batch(*stepper, 1);
  batch.submit(std::make_unique<Broken>());
  EXPECT_THROW(batch.step(), RunError);
}

}  // namespace
}  // namespace bough
