// Fitting the <end> head's temperature.
#include "bough/train/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "test_models.h"

namespace bough {
namespace {

/// Decisions whose true probability is σ(logit / temperature).
EndDecisions drawn(double temperature, int64_t count) {
  EndDecisions decisions;
  RandomStream random(3, Purpose::kTest);
  for (int64_t i = 0; i < count; ++i) {
    double logit = 3.0 * random.normal();
    decisions.logits.push_back(static_cast<float>(logit));
    decisions.right.push_back(random.uniform() < 1.0 / (1.0 + std::exp(-logit / temperature)));
  }
  return decisions;
}

TEST(Calibration, FindsTheTemperatureThatWasDrawnBy) {
  for (double temperature : {0.4, 1.0, 2.5}) {
    Calibration found = calibrate(drawn(temperature, 40000));
    EXPECT_NEAR(found.temperature, temperature, 0.06 * temperature);
    EXPECT_LE(found.loss_after, found.loss_before + 1e-12);
  }
}

TEST(Calibration, NoTemperatureIsBetter) {
  EndDecisions decisions = drawn(1.7, 3000);
  Calibration found = calibrate(decisions);
  EXPECT_DOUBLE_EQ(found.loss_after, decisions.loss(found.temperature));
  for (double other : {0.1, 0.5, 1.0, 1.3, 2.0, 4.0, 15.0}) {
    EXPECT_LE(found.loss_after, decisions.loss(other) + 1e-9);
  }
}

/// A head that is never wrong can't be too sure; one that is as often wrong as right says nothing.
TEST(Calibration, StaysWithinItsBounds) {
  EndDecisions sure{.logits = {2.0F, -2.0F}, .right = {true, false}};
  EXPECT_NEAR(calibrate(sure).temperature, 1.0 / 20.0, 1e-3);
  EndDecisions idle{.logits = {2.0F, 2.0F}, .right = {true, false}};
  EXPECT_NEAR(calibrate(idle).temperature, 20.0, 0.1);
}

/// One decision for each slot of each sentence's tree, of which N + 1 are rightly closed.
TEST(Calibration, AsksAtEverySlotOfTheTrees) {
  PolicyOptions options = small_options(true);
  options.encoder = EncoderKind::kBilstm;
  LstmPolicy policy(request_for(options));
  Dataset data = random_dataset(40, 6);
  EndDecisions decisions = end_decisions(policy, {}, data, &data);
  ASSERT_EQ(static_cast<int64_t>(decisions.logits.size()), 2 * data.word_count() + data.size());
  EXPECT_EQ(std::count(decisions.right.begin(), decisions.right.end(), true),
            data.word_count() + data.size());
}

}  // namespace
}  // namespace bough
