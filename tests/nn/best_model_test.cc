// Which model of a run is kept.
#include "bough/train/best_model.h"

#include <gtest/gtest.h>

namespace bough {
namespace {

EpochReport judged(double beta, double loss, std::optional<double> goal = {}) {
  EpochReport report;
  report.epoch = 1;
  report.validated = true;
  report.beta = beta;
  report.valid.loss = loss;
  if (goal) report.quality = Quality{.numbers = {}, .goal = goal};
  return report;
}

/// Whether it was kept.
bool add(BestModel& best, EpochReport report) {
  report.best = best.is_beaten_by(report);
  best.add(report);
  return report.best;
}

TEST(BestModel, HasTheLowestLossOfTheNewestBeta) {
  BestModel best;
  EXPECT_TRUE(add(best, judged(1.0, 3.0)));
  EXPECT_FALSE(add(best, judged(1.0, 3.5)));
  EXPECT_EQ(best.epochs_since, 1);
  EXPECT_TRUE(add(best, judged(0.5, 9.0))) << "another β is another objective";
  EXPECT_EQ(best.epochs_since, 0);
  EXPECT_TRUE(add(best, judged(0.5, 8.0)));
  EXPECT_DOUBLE_EQ(best.loss, 8.0);
}

TEST(BestModel, HasReachedMostOfTheGoalWhereThereIsOne) {
  BestModel best;
  EXPECT_TRUE(add(best, judged(1.0, 3.0, 20.0)));
  EXPECT_FALSE(add(best, judged(0.5, 1.0, 19.0))) << "neither β nor loss counts";
  EXPECT_TRUE(add(best, judged(0.5, 5.0, 21.0)));
  EXPECT_DOUBLE_EQ(best.goal, 21.0);
}

TEST(BestModel, IsTheLastWithoutValidation) {
  BestModel best;
  EpochReport report;
  for (int64_t epoch : {1, 2, 3}) {
    report.epoch = epoch;
    EXPECT_TRUE(add(best, report));
    EXPECT_EQ(best.epoch, epoch);
  }
  EXPECT_LT(best.beta, 0.0);
}

TEST(BestModel, YieldsToAnUnjudgedOneOnlyWhereNothingCouldCompareThem) {
  BestModel best;
  EXPECT_TRUE(best.yields_unjudged(1.0, false));
  EXPECT_FALSE(best.yields_unjudged(1.0, true)) << "its goal isn't known";
  add(best, judged(1.0, 3.0));
  EXPECT_FALSE(best.yields_unjudged(1.0, false));
  EXPECT_TRUE(best.yields_unjudged(0.5, false));
}

}  // namespace
}  // namespace bough
