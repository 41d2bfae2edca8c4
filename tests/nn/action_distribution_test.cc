// The probability of an action: laws, with and without an <end> head.
#include "bough/model/action_distribution.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bough/base/random.h"

namespace bough {
namespace {

constexpr size_t kActions = 300;

std::vector<float> random_logits(RandomStream& random) {
  std::vector<float> logits(kActions);
  for (float& logit : logits) logit = static_cast<float>(4.0 * random.normal());
  return logits;
}

/// Sum and entropy over all actions, one by one.
void expect_proper(ActionDistribution& slot) {
  double sum = 0.0;
  double entropy = 0.0;
  for (size_t i = 0; i < kActions; ++i) {
    double logprob = slot.logprob(static_cast<WordId>(i));
    sum += std::exp(logprob);
    if (std::isfinite(logprob)) entropy -= std::exp(logprob) * logprob;
  }
  EXPECT_NEAR(sum, 1.0, 1e-4);
  EXPECT_NEAR(slot.entropy(), entropy, 1e-3);
}

/// A row of some listed actions is the whole row with all others forbidden.
TEST(ActionDistribution, OfAListIsThatWithAllOthersForbidden) {
  RandomStream random(2, Purpose::kTest);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<float> all = random_logits(random);
    auto end_logit = static_cast<float>(3.0 * random.normal());
    const float* head = trial % 2 == 0 ? &end_logit : nullptr;
    std::vector<WordId> listed;
    std::vector<float> some;
    std::vector<WordId> others;
    for (WordId word = 0; word < static_cast<WordId>(kActions); ++word) {
      if (word < kSpecials || random.below(5) == 0) {
        listed.push_back(word);
        some.push_back(all[static_cast<size_t>(word)]);
      } else {
        others.push_back(word);
      }
    }
    ActionDistribution whole(all, head);
    ActionDistribution slot(some, head, listed);
    for (WordId word : others) whole.forbid(word);
    for (ActionDistribution* one : {&whole, &slot}) {
      one->forbid(listed[7]);
      one->forbid(others[3]);
      if (trial % 3 == 0) one->forbid_all_but({listed.begin() + 6, listed.begin() + 12});
      one->adjust_end(1.0, 0.5);
    }
    EXPECT_NEAR(slot.end_probability(), whole.end_probability(), 1e-6);
    expect_proper(slot);
    EXPECT_NEAR(slot.entropy(), whole.entropy(), 1e-4);
    for (WordId word = 0; word < static_cast<WordId>(kActions); ++word) {
      EXPECT_NEAR(std::exp(slot.logprob(word)), std::exp(whole.logprob(word)), 1e-6) << word;
    }
    StepScore score = slot.score({listed[8]}, 3);
    StepScore expected = whole.score({listed[8]}, 3);
    ASSERT_EQ(score.alternatives.size(), 3U);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(score.alternatives[i].word, expected.alternatives[i].word);
    }
  }
}

TEST(ActionDistribution, SumsToOneOverWhatIsAllowed) {
  RandomStream random(1, Purpose::kTest);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<float> logits = random_logits(random);
    auto end_logit = static_cast<float>(3.0 * random.normal());
    bool head = trial % 2 == 0;
    ActionDistribution slot(logits, head ? &end_logit : nullptr);
    std::vector<WordId> forbidden;
    for (uint64_t i = random.below(200); i > 0; --i) {
      auto word = static_cast<WordId>(kSpecials + random.below(kActions - kSpecials));
      slot.forbid(word);
      forbidden.push_back(word);
    }
    bool end = random.below(3) > 0;
    if (!end) slot.forbid_end();
    double end_probability = slot.end_probability();
    expect_proper(slot);
    for (WordId word : forbidden) EXPECT_EQ(std::exp(slot.logprob(word)), 0.0);
    EXPECT_NEAR(std::exp(slot.logprob(kEnd)), end_probability, 1e-5);
    if (!end) {
      EXPECT_EQ(end_probability, 0.0);
    } else if (head) {
      EXPECT_NEAR(end_probability, 1.0 / (1.0 + std::exp(-end_logit)), 1e-6);
    }
  }
}

TEST(ActionDistribution, AHeadDecidesFirstAndTheWordsShareTheRest) {
  std::vector<float> logits(kActions, -30.0F);
  logits[10] = std::log(3.0F);
  logits[11] = 0.0F;
  logits[kEnd] = 50.0F;  // says nothing beside a head
  float end_logit = std::log(4.0F);
  ActionDistribution slot(logits, &end_logit);
  EXPECT_NEAR(std::exp(slot.logprob(kEnd)), 0.8, 1e-5);
  EXPECT_NEAR(std::exp(slot.logprob(10)), 0.2 * 0.75, 1e-5);
  EXPECT_NEAR(std::exp(slot.logprob(11)), 0.2 * 0.25, 1e-5);
  StepScore score = slot.score({11}, 2);
  EXPECT_NEAR(std::exp(score.logprob), 0.05, 1e-5);
  ASSERT_EQ(score.alternatives.size(), 2U);
  EXPECT_EQ(score.alternatives[0].word, kEnd);
  EXPECT_EQ(score.alternatives[1].word, 10);
}

TEST(ActionDistribution, EndIsAdjustedInHeadsAndAmongWords) {
  for (bool head : {false, true}) {
    std::vector<float> logits(kActions, -100.0F);
    logits[kEnd] = 0.0F;
    logits[10] = 0.0F;
    float end_logit = 2.0F;
    ActionDistribution slot(logits, head ? &end_logit : nullptr);
    slot.adjust_end(2.0, -1.0);
    double expected = head ? 2.0 / 2.0 - 1.0 : -1.0;  // a temperature is a head's
    EXPECT_NEAR(slot.end_probability(), 1.0 / (1.0 + std::exp(-expected)), 1e-6);
  }
}

TEST(ActionDistribution, OnlySomeWordsLeaveEndAlone) {
  RandomStream random(2, Purpose::kTest);
  for (bool head : {false, true}) {
    std::vector<float> logits = random_logits(random);
    std::vector<float> before = logits;
    float end_logit = 0.5F;
    ActionDistribution slot(logits, head ? &end_logit : nullptr);
    std::vector<WordId> some = {7, 20};
    slot.forbid_all_but(some);
    expect_proper(slot);
    EXPECT_EQ(std::exp(slot.logprob(8)), 0.0);
    EXPECT_NEAR(slot.logprob(20) - slot.logprob(7), before[20] - before[7], 1e-5);
    EXPECT_GT(std::exp(slot.logprob(kEnd)), 0.0);
  }
}

TEST(ActionDistribution, ACopyStaysAsItWas) {
  RandomStream random(3, Purpose::kTest);
  std::vector<float> logits = random_logits(random);
  ActionDistribution slot(logits, nullptr);
  KeptDistribution before(slot);
  slot.forbid(9);
  EXPECT_EQ(std::exp(slot.logprob(9)), 0.0);
  EXPECT_GT(std::exp(before.logprob(9)), 0.0);
}

}  // namespace
}  // namespace bough
