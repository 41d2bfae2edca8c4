#include "bough/train/best_model.h"

namespace bough {

bool BestModel::is_beaten_by(const EpochReport& report) const {
  if (!report.validated) return true;
  if (report.quality && report.quality->goal) return *report.quality->goal > goal;
  return report.beta != beta || report.valid.loss < loss;
}

void BestModel::add(const EpochReport& report) {
  if (!report.best) {
    ++epochs_since;
    return;
  }
  if (report.quality && report.quality->goal) goal = *report.quality->goal;
  loss = report.valid.loss;
  beta = report.validated ? report.beta : -1.0;
  epoch = report.epoch;
  epochs_since = 0;
}

}  // namespace bough
