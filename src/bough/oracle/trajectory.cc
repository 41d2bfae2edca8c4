#include "bough/oracle/trajectory.h"

#include <algorithm>
#include <numeric>

namespace bough {

PackedSteps pack_steps(std::span<const int64_t> steps) {
  PackedSteps packed;
  packed.source.resize(steps.size());
  std::iota(packed.source.begin(), packed.source.end(), 0);
  auto steps_of = [&](int64_t sentence) { return steps[static_cast<size_t>(sentence)]; };
  std::stable_sort(packed.source.begin(), packed.source.end(),
                   [&](int64_t a, int64_t b) { return steps_of(a) > steps_of(b); });
  for (int64_t sentence : packed.source) packed.steps_of.push_back(steps_of(sentence));
  packed.offset_at.push_back(0);
  int64_t active = packed.sentences();
  for (int64_t step = 0;; ++step) {
    while (active > 0 && packed.steps_of[static_cast<size_t>(active - 1)] <= step) --active;
    if (active == 0) return packed;
    packed.rows_at.push_back(active);
    packed.offset_at.push_back(packed.offset_at.back() + active);
  }
}

Trajectory pack(std::span<const Walk> walks, WordId start) {
  std::vector<int64_t> steps;
  for (const Walk& walk : walks) steps.push_back(walk.tree().steps());
  Trajectory packed;
  static_cast<PackedSteps&>(packed) = pack_steps(steps);
  packed.valid_begin.push_back(0);
  for (int step = 0; step < packed.steps(); ++step) {
    for (int64_t s = 0; s < packed.rows_at[static_cast<size_t>(step)]; ++s) {
      const Walk& walk = walks[static_cast<size_t>(packed.source[static_cast<size_t>(s)])];
      packed.input.push_back(walk.input_at(step, start));
      packed.action.push_back(walk.action_at(step).word);
      packed.sentence.push_back(s);
      packed.due.push_back(walk.due_at(step));
      packed.taken.push_back(-1);
      for (const ValidAction& valid : walk.valid_at(step)) {
        if (valid.action == walk.action_at(step)) {
          packed.taken.back() = static_cast<int64_t>(packed.valid_action.size());
        }
        packed.valid_action.push_back(valid.action.word);
        packed.valid_open.push_back(valid.action.open);
        packed.valid_weight.push_back(valid.weight);
        packed.valid_count.push_back(valid.count);
      }
      packed.valid_begin.push_back(static_cast<int64_t>(packed.valid_action.size()));
    }
  }
  return packed;
}

}  // namespace bough
