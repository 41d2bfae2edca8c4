#include "bough/analysis/tagger_features.h"

#include <algorithm>

#include "bough/base/file.h"
#include "bough/base/random.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

/// Whether `text` has letters of upper case (1) and of lower case (2).
uint64_t cases_of(const std::string& text, const std::string& lower) {
  uint64_t upper = text != lower ? 1 : 0;
  bool any_lower =
      std::any_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return upper | (any_lower ? 2 : 0);
}

char kind_of(char32_t character, char32_t lower) {
  if (character != lower) return 'X';
  if (character >= '0' && character <= '9') return 'd';
  if ((character >= 'a' && character <= 'z') || character >= 0x80) return 'x';
  return static_cast<char>(character);
}

}  // namespace

uint32_t word_key(std::string_view lower) {
  return static_cast<uint32_t>(stable_hash(lower) >> 32);
}

SentenceFeatures::SentenceFeatures(std::span<const std::string> words, const WordEntries& entries) {
  uint64_t sentence_case = 0;
  for (const std::string& word : words) sentence_case |= cases_of(word, lower_case(word));
  words_.resize(words.size() + 2 * kMargin);
  for (size_t i = 0; i < words.size(); ++i) {
    words_[i + kMargin] = look_at(words[i], sentence_case, entries);
  }
}

SentenceFeatures::Word SentenceFeatures::look_at(const std::string& text, uint64_t sentence_case,
                                                 const WordEntries& entries) const {
  Word word;
  std::string lower = lower_case(text);
  word.lower = stable_hash(lower);
  auto found = entries.find(word_key(lower));
  if (found != entries.end()) word.entry = found->second;
  std::u32string points = code_points(text);
  std::u32string lower_points = code_points(lower);
  std::string shape;
  for (size_t i = 0; i < points.size(); ++i) {
    char kind = kind_of(points[i], i < lower_points.size() ? lower_points[i] : points[i]);
    size_t size = shape.size();
    if (size >= 2 && shape[size - 1] == kind && shape[size - 2] == kind) continue;
    shape += kind;
  }
  word.shape = stable_hash(shape) + sentence_case;
  for (size_t length = 1; length <= kLongest; ++length) {
    size_t used = std::min(length, lower_points.size());
    uint64_t beginning = length;
    uint64_t ending = length;
    for (size_t i = 0; i < used; ++i) {
      beginning = mix_bits(beginning * 31 + lower_points[i]);
      ending = mix_bits(ending * 31 + lower_points[lower_points.size() - 1 - i]);
    }
    word.beginnings[length - 1] = beginning;
    word.endings[length - 1] = ending;
  }
  return word;
}

namespace {

/// Numbers the questions in the order in which they are asked.
class KeyWriter {
 public:
  KeyWriter(uint64_t first, std::vector<FeatureKey>& keys) : question_(first), keys_(keys) {}

  void add(uint64_t answer) { put(answer); }
  void add(uint64_t one, uint64_t two) { put(mix_bits(one) + two); }
  void add(uint64_t one, uint64_t two, uint64_t three) {
    put(mix_bits(mix_bits(one) + two) + three);
  }

 private:
  void put(uint64_t answer) {
    ++question_;
    keys_.push_back(
        static_cast<FeatureKey>(mix_bits(answer + question_ * 0x9e3779b97f4a7c15ULL) >> 32));
  }

  uint64_t question_;
  std::vector<FeatureKey>& keys_;
};

}  // namespace

void SentenceFeatures::fixed_keys(size_t word, std::vector<FeatureKey>& keys) const {
  const Word& two_before = words_[word];
  const Word& before = words_[word + 1];
  const Word& here = words_[word + 2];
  const Word& after = words_[word + 3];
  const Word& two_after = words_[word + 4];
  KeyWriter ask(0, keys);
  ask.add(0);
  ask.add(here.lower);
  ask.add(here.lower, here.shape);
  for (uint64_t beginning : here.beginnings) ask.add(beginning);
  for (uint64_t ending : here.endings) ask.add(ending);
  ask.add(here.shape);
  ask.add(here.shape, here.endings[2]);
  ask.add(here.shape, before.shape);
  ask.add(here.shape, after.shape);
  ask.add(here.shape, before.lower);
  ask.add(here.entry.bits);
  ask.add(here.beginnings[0], here.endings[2]);
  ask.add(before.lower);
  ask.add(two_before.lower);
  ask.add(after.lower);
  ask.add(two_after.lower);
  ask.add(before.lower, here.lower);
  ask.add(here.lower, after.lower);
  ask.add(before.lower, after.lower);
  ask.add(two_before.lower, before.lower);
  ask.add(after.lower, two_after.lower);
  ask.add(before.endings[2]);
  ask.add(before.endings[1]);
  ask.add(after.endings[2]);
  ask.add(after.endings[1]);
  ask.add(two_after.endings[2]);
  ask.add(before.shape);
  ask.add(after.shape);
  ask.add(after.entry.bits);
  ask.add(two_after.entry.bits);
  ask.add(after.entry.bits, two_after.entry.bits);
  ask.add(here.entry.bits, after.entry.bits);
  ask.add(here.lower, after.entry.bits);
  ask.add(here.endings[2], after.entry.bits);
  ask.add(here.endings[2], before.lower);
  ask.add(here.endings[2], after.lower);
}

void SentenceFeatures::tag_keys(size_t word, std::span<const UniversalTag> tags,
                                std::vector<FeatureKey>& keys) const {
  constexpr uint64_t kOutside = kUniversalTags;
  uint64_t one = word >= 1 ? static_cast<uint64_t>(tags[word - 1]) : kOutside;
  uint64_t two = word >= 2 ? static_cast<uint64_t>(tags[word - 2]) : kOutside;
  uint64_t three = word >= 3 ? static_cast<uint64_t>(tags[word - 3]) : kOutside;
  uint64_t both = one * 32 + two;
  const Word& before = words_[word + 1];
  const Word& here = words_[word + 2];
  const Word& after = words_[word + 3];
  const Word& two_after = words_[word + 4];
  KeyWriter ask(1000, keys);
  ask.add(one);
  ask.add(two);
  ask.add(both);
  ask.add(both * 32 + three);
  ask.add(one, here.lower);
  ask.add(both, here.lower);
  ask.add(one, here.endings[2]);
  ask.add(one, here.endings[1]);
  ask.add(one, here.shape);
  ask.add(one, here.entry.bits);
  ask.add(both, here.entry.bits);
  ask.add(one, after.lower);
  ask.add(one, after.entry.bits);
  ask.add(one, here.entry.bits, after.entry.bits);
  ask.add(both, after.entry.bits);
  ask.add(one, after.endings[2]);
  ask.add(one, after.entry.bits, two_after.entry.bits);
  ask.add(two, before.lower);
  ask.add(two, here.lower);
}

}  // namespace bough
