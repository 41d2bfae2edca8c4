#include "bough/oracle/walk.h"

#include <algorithm>

namespace bough {

Walk::Walk(std::span<const WordId> sentence, const Oracle& oracle, Duplicates duplicates,
           WordId end)
    : oracle_(oracle),
      duplicates_(duplicates),
      end_(end),
      sentence_size_(static_cast<int>(sentence.size())),
      spans_{{0, sentence_size_}} {
  sorted_.reserve(sentence.size());
  for (int i = 0; i < sentence_size_; ++i) {
    sorted_.push_back({sentence[static_cast<size_t>(i)], i});
  }
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
    valid_.push_back({.action = end_, .weight = 1.0F, .count = 1});
    return;
  }
  for (const Place& place : sorted_) {
    if (place.position >= span.begin && place.position < span.end) places_.push_back(place);
  }
  weights_.resize(places_.size());
  oracle_.weigh({.begin = span.begin, .end = span.end, .places = places_}, weights_);
  size_t right = 0;
  for (size_t i = 0; i < places_.size(); ++i) {
    if (weights_[i] <= 0.0) continue;
    bool same = valid_.size() > valid_begin_.back() && valid_.back().action == places_[i].word;
    if (!same) valid_.push_back({.action = places_[i].word});
    valid_.back().weight += static_cast<float>(weights_[i]);
    ++valid_.back().count;
    places_[right] = places_[i];
    weights_[right++] = weights_[i];
  }
  places_.resize(right);
  weights_.resize(right);
}

void Walk::split(WordId word, int left_end, int right_begin) {
  Bounds span = spans_[front()];
  spans_.push_back({span.begin, left_end});
  spans_.push_back({right_begin, span.end});
  actions_.push_back(word);
  tree_.add_word(word);
}

void Walk::take(int index, RandomStream& random) {
  ValidAction chosen = valid()[static_cast<size_t>(index)];
  auto first = static_cast<size_t>(
      std::lower_bound(places_.begin(), places_.end(), chosen.action,
                       [](const Place& place, WordId word) { return place.word < word; }) -
      places_.begin());
  if (chosen.count > 1 && duplicates_ == Duplicates::kUniform) {
    auto equal = static_cast<size_t>(chosen.count);
    first +=
        static_cast<size_t>(random.draw(std::span<const double>(weights_).subspan(first, equal)));
  }
  take_place(first);
}

void Walk::take_place(size_t index) {
  if (places_.empty()) {
    actions_.push_back(end_);
    tree_.add_end();
  } else {
    Place place = places_[index];
    split(place.word, place.position, place.position + 1);
  }
  if (!done()) find_valid();
}

void Walk::take_action(WordId action, RandomStream& random) {
  std::span<const ValidAction> right = valid();
  for (size_t i = 0; i < right.size(); ++i) {
    if (right[i].action == action) return take(static_cast<int>(i), random);
  }
  ++errors_;
  Bounds span = spans_[front()];
  int middle = span.begin + (span.end - span.begin) / 2;
  split(action, middle, middle);
  find_valid();
}

}  // namespace bough
