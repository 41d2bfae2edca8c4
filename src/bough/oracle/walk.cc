#include "bough/oracle/walk.h"

#include <algorithm>

namespace bough {

Walk::Walk(std::span<const WordId> sentence, const Oracle& oracle, Duplicates duplicates,
           Shape shape, WordId end)
    : oracle_(oracle),
      duplicates_(duplicates),
      shape_(shape),
      end_(end),
      sentence_(sentence.begin(), sentence.end()),
      spans_{{0, static_cast<int>(sentence.size())}} {
  sorted_.reserve(sentence.size());
  for (WordId word : sentence) sorted_.push_back({word, static_cast<int>(sorted_.size())});
  std::sort(sorted_.begin(), sorted_.end(), [](const Place& a, const Place& b) {
    return a.word != b.word ? a.word < b.word : a.position < b.position;
  });
  find_valid();
}

std::span<const ValidAction> Walk::valid_at(int step) const {
  auto index = static_cast<size_t>(step);
  size_t begin = valid_begin_[index];
  size_t end = index + 1 < valid_begin_.size() ? valid_begin_[index + 1] : valid_.size();
  return {valid_.data() + begin, end - begin};
}

void Walk::find_valid() {
  valid_begin_.push_back(valid_.size());
  Bounds span = spans_[front()];
  places_.clear();
  if (span.begin == span.end) {
    valid_.push_back({.action = {end_}, .weight = 1.0F, .count = 1});
    return;
  }
  for (const Place& place : sorted_) {
    if (place.position >= span.begin && place.position < span.end) places_.push_back(place);
  }
  weights_.resize(places_.size());
  oracle_.weigh({.begin = span.begin, .end = span.end, .places = places_, .sentence = sentence_},
                weights_);
  size_t right = 0;
  for (size_t i = 0; i < places_.size(); ++i) {
    if (weights_[i] <= 0.0) continue;
    // Equal words are neighbours, and among these the ones with the same open sides.
    Action action = action_of(places_[i]);
    bool same = valid_.size() > valid_begin_.back() && valid_.back().action == action;
    if (!same) valid_.push_back({.action = action});
    valid_.back().weight += static_cast<float>(weights_[i]);
    ++valid_.back().count;
    places_[right] = places_[i];
    weights_[right++] = weights_[i];
  }
  places_.resize(right);
  weights_.resize(right);
}

Sides Walk::open_sides(int left_end, int right_begin) const {
  if (shape_ == Shape::kEnd) return Sides::kBoth;
  const Bounds& span = spans_[front()];
  return sides_of(span.begin < left_end, right_begin < span.end);
}

void Walk::split(WordId word, int left_end, int right_begin) {
  Bounds span = spans_[front()];
  Sides open = open_sides(left_end, right_begin);
  if (opens_left(open)) spans_.push_back({span.begin, left_end});
  if (opens_right(open)) spans_.push_back({right_begin, span.end});
  tree_.add_word(word, open);
}

int Walk::draw(RandomStream& random) const {
  std::span<const ValidAction> answers = valid();
  if (answers.size() == 1) return 0;
  std::vector<double> weights;
  for (const ValidAction& answer : answers) weights.push_back(answer.weight);
  return random.draw(weights);
}

void Walk::take(int index, RandomStream& random) {
  size_t first = 0;  // of its places: those of a slot are in the order of its right answers
  for (const ValidAction& before : valid().first(static_cast<size_t>(index))) {
    first += static_cast<size_t>(before.count);
  }
  take_one(first, static_cast<size_t>(valid()[static_cast<size_t>(index)].count), random);
}

void Walk::take_one(size_t first, size_t count, RandomStream& random) {
  if (count > 1 && duplicates_ == Duplicates::kUniform) {
    first +=
        static_cast<size_t>(random.draw(std::span<const double>(weights_).subspan(first, count)));
  }
  take_place(first);
}

void Walk::take_place(size_t index) {
  if (places_.empty()) {
    tree_.add_end();
  } else {
    Place place = places_[index];
    split(place.word, place.position, place.position + 1);
  }
  if (!done()) find_valid();
}

void Walk::take_action(WordId action, RandomStream& random) {
  auto first = std::ranges::lower_bound(places_, action, {}, &Place::word);
  auto last = std::ranges::upper_bound(places_, action, {}, &Place::word);
  if (first != last || (places_.empty() && action == end_)) {
    return take_one(static_cast<size_t>(first - places_.begin()), static_cast<size_t>(last - first),
                    random);
  }
  ++errors_;
  Bounds span = spans_[front()];
  int middle = span.begin + (span.end - span.begin) / 2;
  split(action, middle, middle);
  // Of an empty slot a wrong word leaves nothing where its sides are closed.
  if (!done()) find_valid();
}

}  // namespace bough
