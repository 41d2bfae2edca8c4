#include "bough/oracle/trajectory.h"

#include <algorithm>
#include <numeric>

namespace bough {

Trajectory pack(std::span<const Walk> walks, WordId start) {
  Trajectory packed;
  if (!walks.empty()) packed.end = walks.front().end_action();
  packed.source.resize(walks.size());
  std::iota(packed.source.begin(), packed.source.end(), 0);
  auto steps_of = [&](int64_t walk) { return walks[static_cast<size_t>(walk)].tree().steps(); };
  std::stable_sort(packed.source.begin(), packed.source.end(),
                   [&](int64_t a, int64_t b) { return steps_of(a) > steps_of(b); });
  for (int64_t walk : packed.source) packed.steps_of.push_back(steps_of(walk));

  packed.offset_at.push_back(0);
  packed.valid_begin.push_back(0);
  int64_t active = packed.sentences();
  for (int step = 0;; ++step) {
    while (active > 0 && packed.steps_of[static_cast<size_t>(active - 1)] <= step) --active;
    if (active == 0) break;
    packed.rows_at.push_back(active);
    packed.offset_at.push_back(packed.offset_at.back() + active);
    for (int64_t s = 0; s < active; ++s) {
      const Walk& walk = walks[static_cast<size_t>(packed.source[static_cast<size_t>(s)])];
      packed.input.push_back(
          step_input(walk.tree(), step, step == 0 ? start : walk.action_at(step - 1)));
      packed.action.push_back(walk.action_at(step));
      packed.sentence.push_back(s);
      for (const ValidAction& valid : walk.valid_at(step)) {
        packed.valid_action.push_back(valid.action);
        packed.valid_weight.push_back(valid.weight);
      }
      packed.valid_begin.push_back(static_cast<int64_t>(packed.valid_action.size()));
    }
  }
  return packed;
}

}  // namespace bough
