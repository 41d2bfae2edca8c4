// Processes of this machine that train together: `bough train --workers N`.
//
// The process that was started is rank 0. It starts the others with its own command line, and tells
// them by the environment, as torchrun would, who they are.
#pragma once

#include <sys/types.h>

#include <memory>
#include <vector>

#include "bough/train/ranks.h"

namespace bough::cli {

class Workers {
 public:
  /// Where `count` is above 1, and this isn't one of them already.
  explicit Workers(int64_t count);
  /// Those that still run are ended.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// This process's, as the environment says it or among the workers.
  const RankPlace& place() const { return place_; }

  /// Meets the others, if there are some.
  Ranks& meet(double timeout);

  /// Waits until they have ended; RunError where one has failed.
  void wait();

 private:
  void start(int64_t rank);

  RankPlace place_;
  std::unique_ptr<RankMeeting> meeting_;
  std::unique_ptr<Ranks> ranks_;
  std::vector<pid_t> processes_;
};

}  // namespace bough::cli
