#include "bough/train/train_options.h"

#include "bough/base/error.h"

namespace bough {

void TrainOptions::settle() {
  EncoderKind fitting = task == Task::kReorder ? EncoderKind::kBag : EncoderKind::kNone;
  if (policy.encoder != EncoderKind::kNone && policy.encoder != fitting) {
    throw UsageError("--encoder {} does not fit --task {}: leave it out", name_of(policy.encoder),
                     name_of(task));
  }
  policy.encoder = fitting;
}

}  // namespace bough
