#include "bough/generate/demands.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "bough/base/error.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

std::string text_of(const Phrase& phrase) {
  std::vector<std::string> words;
  for (const GivenWord& word : phrase) words.push_back(word.text);
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace

void Demands::check() const {
  int64_t least = static_cast<int64_t>(given.size());
  int64_t most = least;
  for (const Gap& gap : gaps) {
    if (gap.min > gap.max) {
      throw UnmetError("a gap of at least {} and at most {} words", gap.min, gap.max);
    }
    least += gap.min;
    most = std::min(Gap::kUnbounded, most + gap.max);
  }
  if (min_length > max_length) {
    throw UnmetError("at least {} and at most {} words are asked for", min_length, max_length);
  }
  if (least > max_length) {
    throw UnmetError("the given words and gaps make {} words, more than the {} allowed", least,
                     max_length);
  }
  if (most < min_length) {
    throw UnmetError("the given words and gaps make at most {} words, fewer than the {} asked for",
                     most, min_length);
  }
}

void Demands::avoid(std::vector<Phrase> phrases) {
  for (const Phrase& phrase : phrases) {
    for (size_t first = 0; first + phrase.size() <= given.size(); ++first) {
      auto same = [](const GivenWord& a, const GivenWord& b) { return a.is(b); };
      auto begin = given.begin() + static_cast<int64_t>(first);
      if (!std::equal(phrase.begin(), phrase.end(), begin, same)) continue;
      auto inner = std::span(gaps).subspan(first + 1, phrase.size() - 1);
      auto wide = std::ranges::find_if(inner, [](const Gap& gap) { return gap.max > 0; });
      if (wide == inner.end()) {
        throw UnmetError("'{}' is given and to be avoided", for_message(text_of(phrase)));
      }
      wide->min = std::max<int64_t>(1, wide->min);
    }
  }
  avoided = std::move(phrases);
}

std::shared_ptr<const Demands> demand_permutation(std::span<const std::string> words,
                                                  const Vocabulary& vocabulary) {
  auto demands = std::make_shared<Demands>();
  auto count = static_cast<int64_t>(words.size());
  demands->gaps = {{.min = count, .max = count}};
  for (const std::string& word : words) demands->bag.push_back({vocabulary.id(word), word});
  return demands;
}

Demands demand_some_words(std::span<const std::string> sentence, size_t count,
                          const Vocabulary& vocabulary, RandomStream& random) {
  std::vector<size_t> places(sentence.size());
  std::iota(places.begin(), places.end(), 0);
  count = std::min(count, places.size());
  for (size_t i = 0; i < count; ++i) {
    std::swap(places[i], places[i + random.below(places.size() - i)]);
  }
  places.resize(count);
  std::sort(places.begin(), places.end());
  Demands demands;
  for (size_t place : places) {
    demands.given.push_back({vocabulary.id(sentence[place]), sentence[place]});
    demands.gaps.emplace_back();
  }
  return demands;
}

UnmetError nothing_left() {
  return UnmetError(
      "a sentence came to a place where a word is due and every one is to be avoided: avoid fewer "
      "words, or ask for fewer");
}

Demanded::Demanded(std::shared_ptr<const Demands> demands, Shape shape)
    : demands_(std::move(demands)),
      shape_(shape),
      parts_{{.first = 0, .last = static_cast<int>(demands_->given.size())}},
      gaps_(demands_->gaps.size()),
      words_(demands_->avoided.empty() ? std::span<const GivenWord>() : demands_->given) {
  if (shape == Shape::kArity && !demands_->given.empty()) {
    for (GapState& gap : gaps_) gap = {.open = 0, .maybe = true};
  }
  for (const GivenWord& word : demands_->bag) {
    auto at = std::lower_bound(bag_words_.begin(), bag_words_.end(), word.word);
    auto index = at - bag_words_.begin();
    if (at == bag_words_.end() || *at != word.word) {
      bag_words_.insert(at, word.word);
      bag_texts_.insert(bag_texts_.begin() + index, std::vector<std::string>{});
    }
    bag_texts_[static_cast<size_t>(index)].push_back(word.text);
  }
}

int64_t Demanded::committed() const {
  auto words = static_cast<int64_t>(demands_->given.size());
  for (size_t i = 0; i < gaps_.size(); ++i) {
    words += std::max(gaps_[i].placed, demands_->gaps[i].min);
  }
  return words;
}

int64_t Demanded::reachable_without(int closing) const {
  auto words = static_cast<int64_t>(demands_->given.size());
  for (size_t i = 0; i < gaps_.size(); ++i) {
    int64_t open = gaps_[i].open - (static_cast<int>(i) == closing ? 1 : 0);
    words = std::min(Gap::kUnbounded, words + (open > 0 ? demands_->gaps[i].max : gaps_[i].placed));
  }
  return words;
}

Demanded::Choice Demanded::choice() const {
  const Part& part = parts_[front()];
  if (part.first < part.last) return {.first = part.first, .last = part.last};
  if (shape_ == Shape::kArity) return choice_with_sides();
  const GapState& gap = gaps_[static_cast<size_t>(part.first)];
  const Gap& bound = bounds(part.first);
  bool needed = gap.placed < bound.min;
  bool fits = needed || committed() < demands_->max_length;
  Choice choice;
  choice.word = gap.placed < bound.max && fits;
  choice.too_long = gap.placed < bound.max && !fits;
  choice.end = (!needed || gap.open > 1) && reachable_without(part.first) >= demands_->min_length;
  return choice;
}

std::vector<Demanded::GapChange> Demanded::changes(int given, Sides open) const {
  const Part& part = parts_[front()];
  if (given == kFree) {
    GapState state = gaps_[static_cast<size_t>(part.first)];
    ++state.placed;
    state.open += count_of(open) - 1;
    return {{part.first, state}};
  }
  std::vector<GapChange> changes;
  if (given == part.first) changes.push_back({given, {.open = opens_left(open) ? 1 : 0}});
  if (given + 1 == part.last) changes.push_back({given + 1, {.open = opens_right(open) ? 1 : 0}});
  return changes;
}

bool Demanded::can_be_met(std::span<const GapChange> changes, bool within_length) const {
  auto least = static_cast<int64_t>(demands_->given.size());
  int64_t most = least;
  for (size_t i = 0; i < gaps_.size(); ++i) {
    GapState gap = gaps_[i];
    for (const GapChange& change : changes) {
      if (change.gap == static_cast<int>(i)) gap = change.state;
    }
    const Gap& bound = demands_->gaps[i];
    bool grows = gap.maybe || gap.open > 0;
    int64_t low = grows ? std::max(bound.min, gap.placed + gap.open) : gap.placed;
    if (low > bound.max || (!grows && gap.placed < bound.min)) return false;
    least += low;
    most = std::min(Gap::kUnbounded, most + (grows ? bound.max : gap.placed));
  }
  return most >= demands_->min_length && (!within_length || least <= demands_->max_length);
}

AllowedSides Demanded::sides(int given, bool within_length) const {
  AllowedSides allowed{};
  const Part& part = parts_[front()];
  for (Sides open : kAllSides) {
    if (shape_ == Shape::kEnd) {
      allowed[index_of(open)] = open == Sides::kBoth;
      continue;
    }
    bool loses_given = given != kFree && ((given > part.first && !opens_left(open)) ||
                                          (given + 1 < part.last && !opens_right(open)));
    allowed[index_of(open)] = !loses_given && can_be_met(changes(given, open), within_length);
  }
  return allowed;
}

Demanded::Choice Demanded::choice_with_sides() const {
  if (front() > 0) return {.end = false};  // it was opened for a word
  AllowedSides allowed = sides(kFree);
  AllowedSides unbounded = sides(kFree, /*within_length=*/false);
  auto any = [](const AllowedSides& some) { return std::ranges::count(some, true) > 0; };
  return {.word = any(allowed),
          .end = demands_->gaps.front().min == 0 && demands_->min_length <= 0,
          .too_long = any(unbounded) && !any(allowed)};
}

int Demanded::ranked(const Choice& choice) const {
  const std::vector<int>& ranks = demands_->ranks;
  if (ranks.empty()) return -1;
  auto lowest = std::min_element(ranks.begin() + choice.first, ranks.begin() + choice.last);
  return static_cast<int>(lowest - ranks.begin());
}

void Demanded::fill_front(int given, Sides open, const Part& left, const Part& right) {
  for (const GapChange& change : changes(given, open)) {
    gaps_[static_cast<size_t>(change.gap)] = change.state;
  }
  if (opens_left(open)) parts_.push_back(left);
  if (opens_right(open)) parts_.push_back(right);
  ++steps_;
}

void Demanded::place_given(int index, Sides open) {
  Part part = parts_[front()];
  Part left{.first = part.first, .last = index, .left = part.left, .before_given = true};
  Part right{
      .first = index + 1, .last = part.last, .left = index, .before_given = part.before_given};
  fill_front(index, open, left, right);
  texts_.push_back(given(index).text);
  was_given_.push_back(true);
}

void Demanded::take_word(WordId word, Sides open) {
  Part part = parts_[front()];
  // Where nothing is avoided, nobody asks what stands beside a slot.
  int placed = demands_->avoided.empty() ? part.left : words_.insert_behind(part.left, word);
  Part before = part;
  before.before_given = false;
  Part behind = part;
  behind.left = placed;
  fill_front(kFree, open, before, behind);
  texts_.emplace_back();
  was_given_.push_back(false);
  if (demands_->bag.empty()) return;
  auto at = std::lower_bound(bag_words_.begin(), bag_words_.end(), word);
  auto index = at - bag_words_.begin();
  std::vector<std::string>& left = bag_texts_[static_cast<size_t>(index)];
  texts_.back() = left.front();
  left.erase(left.begin());
  if (!left.empty()) return;
  bag_words_.erase(at);
  bag_texts_.erase(bag_texts_.begin() + index);
}

void Demanded::take_end() {
  --gaps_[static_cast<size_t>(parts_[steps_++].first)].open;
}

}  // namespace bough
