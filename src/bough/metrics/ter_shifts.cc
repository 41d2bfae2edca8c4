#include "bough/metrics/ter_shifts.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bough/metrics/beam_alignment.h"

namespace bough {

namespace {

constexpr int kMaxLength = 10;       // words of a block
constexpr int kMaxDistance = 50;     // between a block's places in the hypothesis and the reference
constexpr size_t kMaxTrials = 1000;  // shifts that may be tried for a sentence

/// `length` words of the hypothesis at `start` go before the word at `target`.
struct Shift {
  int start;
  int length;
  int target;

  bool operator==(const Shift&) const = default;
};

/// Of shifts that save the same, the first in this order is taken.
bool comes_first(const Shift& a, const Shift& b) {
  return std::make_tuple(-a.length, a.start, a.target) <
         std::make_tuple(-b.length, b.start, b.target);
}

/// A target inside the block means a place as many words further on, up to the sentence's end.
Swap swap_of(const Shift& shift, int words) {
  int end = shift.start + shift.length;
  if (shift.target < shift.start) return {shift.target, shift.start, end};
  if (shift.target > end) return {shift.start, end, shift.target};
  return {shift.start, end, std::min(words, shift.target + shift.length)};
}

/// Lists the shifts worth a trial, given how the words line up now.
class ShiftSearch {
 public:
  ShiftSearch(std::span<const uint32_t> hypothesis, std::span<const uint32_t> reference,
              const WordAlignment& alignment)
      : hypothesis_(hypothesis), reference_(reference), alignment_(alignment) {}

  /// Shifts that come up several times are listed as often. At `limit` the list is cut off, though
  /// perhaps a few shifts later.
  std::vector<Shift> find(size_t limit) {
    int words = static_cast<int>(hypothesis_.size());
    for (int start = 0; start < words && found_.size() < limit; ++start) {
      int first = std::max(0, start - kMaxDistance);
      int last = std::min(static_cast<int>(reference_.size()) - 1, start + kMaxDistance);
      for (int place = first; place <= last && found_.size() < limit; ++place) {
        if (hypothesis_[start] == reference_[place]) add_blocks(start, place);
      }
    }
    return std::move(found_);
  }

 private:
  /// The blocks at `start` that stand in the reference at `place`, of every length. A block is
  /// moved only if it is wrong where it is, missed where it belongs, and not there already.
  void add_blocks(int start, int place) {
    int longest = std::min({kMaxLength, static_cast<int>(hypothesis_.size()) - start,
                            static_cast<int>(reference_.size()) - place});
    int counterpart = alignment_.hypothesis_of[place];
    bool wrong = false;
    bool missed = false;
    for (int i = 0; i < longest && hypothesis_[start + i] == reference_[place + i]; ++i) {
      wrong = wrong || alignment_.hypothesis_errors[start + i];
      missed = missed || alignment_.reference_errors[place + i];
      bool is_there = counterpart >= start && counterpart <= start + i;
      if (wrong && missed && !is_there) add_targets(start, i + 1, place);
    }
  }

  /// Behind the counterpart of the reference word before the block, or of any word of the block.
  void add_targets(int start, int length, int place) {
    int previous = -1;
    for (int i = place - 1; i < place + length; ++i) {
      int target = i < 0 ? 0 : alignment_.hypothesis_of[i] + 1;
      if (target != previous) found_.push_back({start, length, target});
      previous = target;
    }
  }

  std::span<const uint32_t> hypothesis_;
  std::span<const uint32_t> reference_;
  const WordAlignment& alignment_;
  std::vector<Shift> found_;
};

/// The swap that saves most, if any does.
std::optional<Swap> best_swap(std::vector<Shift> shifts, BeamAlignment& alignment) {
  std::sort(shifts.begin(), shifts.end(), comes_first);
  shifts.erase(std::unique(shifts.begin(), shifts.end()), shifts.end());
  int least = alignment.distance();
  std::optional<Swap> best;
  for (const Shift& shift : shifts) {
    Swap swap = swap_of(shift, static_cast<int>(alignment.words().size()));
    int distance = alignment.distance_after(swap);
    if (distance >= least) continue;
    least = distance;
    best = swap;
  }
  return best;
}

}  // namespace

int64_t edits_with_shifts(std::span<const uint32_t> hypothesis,
                          std::span<const uint32_t> reference) {
  if (reference.empty()) return static_cast<int64_t>(hypothesis.size());
  BeamAlignment alignment(hypothesis, reference);
  int64_t shifts_made = 0;
  // A round that reaches the limit of trials counts for nothing, so it needn't be played at all.
  for (size_t trials_left = kMaxTrials;;) {
    auto shifts = ShiftSearch(alignment.words(), reference, alignment.align()).find(trials_left);
    if (shifts.size() >= trials_left) break;
    trials_left -= shifts.size();
    auto swap = best_swap(std::move(shifts), alignment);
    if (!swap) break;
    alignment.apply(*swap);
    ++shifts_made;
  }
  return shifts_made + alignment.distance();
}

}  // namespace bough
