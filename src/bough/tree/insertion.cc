#include "bough/tree/insertion.h"

#include <algorithm>
#include <limits>

namespace bough {

Insertion insertion_of(const Trace& trace, int node) {
  const Tree::Node& own = trace.tree.node(node);
  const Tree::Slot& slot = trace.tree.slot_of(own);
  std::vector<int> positions = trace.tree.positions();
  auto at = static_cast<size_t>(node);
  auto step = static_cast<size_t>(own.step);
  auto before = std::count_if(positions.begin(), positions.begin() + node,
                              [&](int position) { return position < positions[at]; });
  bool known = step < trace.scores.size();
  return {.index = static_cast<int>(before),
          .node = node,
          .parent = slot.parent,
          .side = slot.side,
          .step = own.step,
          .token = trace.texts[at],
          .logprob = known ? trace.scores[step].logprob : std::numeric_limits<double>::quiet_NaN(),
          .given = !trace.given.empty() && trace.given[at]};
}

}  // namespace bough
