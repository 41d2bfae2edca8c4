#include "bough/analysis/tagger_learn.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>
#include <unordered_map>

#include "bough/base/random.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

// A word with fewer occurrences says nothing about which tags it may have; the features of words
// that training never saw are learned from those.
constexpr int64_t kRareWord = 2;
// A tag with a smaller share of a word's occurrences is an exception or a mistake.
constexpr double kLeastShare = 0.05;
// A word this frequent, with one tag this often, is tagged without looking around.
constexpr int64_t kCertainCount = 30;
constexpr double kCertainShare = 0.998;
// The first round only has to find out which features matter.
constexpr int64_t kFirstRound = 2;
// One feature in this many is left out by chance while learning.
constexpr uint64_t kLeftOut = 5;

WordEntry entry_of(const std::array<int64_t, kUniversalTags>& counts) {
  int64_t total = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  if (total < kRareWord) return {};
  auto most = std::max_element(counts.begin(), counts.end());
  auto share = [&](int64_t count) {
    return static_cast<double>(count) / static_cast<double>(total);
  };
  WordEntry entry;
  for (size_t tag = 0; tag < kUniversalTags; ++tag) {
    if (counts[tag] > 0 && share(counts[tag]) >= kLeastShare) entry.bits |= 1U << tag;
  }
  entry.bits |= static_cast<uint32_t>(most - counts.begin()) << kUniversalTags;
  if (total >= kCertainCount && share(*most) >= kCertainShare) entry.bits |= WordEntry::kCertain;
  return entry;
}

using TagCounts = std::unordered_map<uint32_t, std::array<int64_t, kUniversalTags>>;

/// Counts the words of a sentence; of its further spellings only what they write otherwise.
void count_words(const std::vector<TaggedSentence>& spellings, TagCounts& counts) {
  std::set<uint32_t> counted;
  for (const TaggedSentence& sentence : spellings) {
    bool is_first = &sentence == &spellings.front();
    for (size_t i = 0; i < sentence.words.size(); ++i) {
      uint32_t key = word_key(lower_case(sentence.words[i]));
      if (!is_first && counted.contains(key)) continue;
      if (is_first) counted.insert(key);
      ++counts[key][static_cast<size_t>(sentence.tags[i])];
    }
  }
}

/// Whole-number weights, [features, tags], and what their averages need.
class Perceptron {
 public:
  using Scores = std::array<int32_t, kUniversalTags>;

  explicit Perceptron(size_t features)
      : weights_(features * kUniversalTags), moments_(features * kUniversalTags) {}

  void start_step() { ++step_; }

  Scores scores(std::span<const uint32_t> features) const {
    Scores scores = {};
    for (uint32_t feature : features) {
      const int32_t* row = weights_.data() + size_t{feature} * kUniversalTags;
      for (size_t tag = 0; tag < kUniversalTags; ++tag) scores[tag] += row[tag];
    }
    return scores;
  }

  void add(std::span<const uint32_t> features, UniversalTag tag, int sign) {
    for (uint32_t feature : features) {
      size_t at = size_t{feature} * kUniversalTags + static_cast<size_t>(tag);
      weights_[at] += sign;
      moments_[at] += sign * step_;
    }
  }

  /// The mean over all steps: a change made at step s counts for the steps after it.
  double average(size_t feature, size_t tag) const {
    size_t at = feature * kUniversalTags + tag;
    return weights_[at] - static_cast<double>(moments_[at]) / static_cast<double>(step_ + 1);
  }

 private:
  std::vector<int32_t> weights_;
  std::vector<int64_t> moments_;  // sums of change × step
  int64_t step_ = 0;
};

class Learner {
 public:
  Learner(std::vector<TaggedSentence> sentences, WordEntries words,
          const TaggerLearnOptions& options,
          const std::function<void(const TaggerProgress&)>& report)
      : options_(options),
        sentences_(std::move(sentences)),
        words_(std::move(words)),
        report_(report) {
    features_.reserve(sentences_.size());
    for (const auto& sentence : sentences_) features_.emplace_back(sentence.words, words_);
    number_features();
  }

  Tagger learn() {
    int64_t first = 0;
    if (static_cast<int64_t>(keys_.size()) > options_.max_features) {
      first = std::min(kFirstRound, options_.iterations);
      progress_.iterations = first + options_.iterations;
      keep_best(run(first, 0));
    }
    progress_.iterations = first + options_.iterations;
    Perceptron perceptron = run(options_.iterations, first);
    TaggerWeights weights = rounded(perceptron);
    return {std::move(words_), std::move(weights)};
  }

 private:
  /// Features that are frequent enough get numbers, in the order of their keys.
  void number_features() {
    std::vector<FeatureKey> all;
    for (size_t i = 0; i < sentences_.size(); ++i) {
      for (size_t word = 0; word < sentences_[i].words.size(); ++word) {
        if (features_[i].entry(word).is_certain()) continue;
        features_[i].fixed_keys(word, all);
        features_[i].tag_keys(word, sentences_[i].tags, all);
      }
    }
    std::sort(all.begin(), all.end());
    for (auto begin = all.begin(); begin != all.end();) {
      auto end = std::upper_bound(begin, all.end(), *begin);
      if (end - begin >= options_.min_count) keys_.push_back(*begin);
      begin = end;
    }
    table_ = FeatureTable(keys_);
  }

  Perceptron run(int64_t iterations, int64_t done_before) {
    Perceptron perceptron(keys_.size());
    std::vector<size_t> order(sentences_.size());
    for (int64_t iteration = 0; iteration < iterations; ++iteration) {
      std::iota(order.begin(), order.end(), size_t{0});
      RandomStream random(static_cast<uint64_t>(options_.seed), Purpose::kShuffle,
                          static_cast<uint64_t>(iteration));
      for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
      int64_t right = 0;
      int64_t words = 0;
      for (size_t index : order) {
        RandomStream chance(static_cast<uint64_t>(options_.seed), Purpose::kDropout,
                            static_cast<uint64_t>(iteration), index);
        right += learn_from(index, perceptron, chance);
        words += static_cast<int64_t>(sentences_[index].words.size());
      }
      progress_.iteration = done_before + iteration + 1;
      progress_.accuracy =
          static_cast<double>(right) / static_cast<double>(std::max<int64_t>(words, 1));
      if (report_) report_(progress_);
    }
    return perceptron;
  }

  /// How many of the sentence's words were tagged rightly.
  int64_t learn_from(size_t index, Perceptron& perceptron, RandomStream& chance) {
    const TaggedSentence& sentence = sentences_[index];
    tags_.resize(sentence.words.size());
    int64_t right = 0;
    for (size_t word = 0; word < tags_.size(); ++word) {
      perceptron.start_step();
      UniversalTag gold = sentence.tags[word];
      const WordEntry& entry = features_[index].entry(word);
      if (entry.is_certain()) {
        tags_[word] = entry.usual_tag();
      } else {
        find_features(index, word, chance);
        Perceptron::Scores scores = perceptron.scores(found_);
        auto best = std::max_element(scores.begin(), scores.end());
        tags_[word] = static_cast<UniversalTag>(best - scores.begin());
        if (tags_[word] != gold) {
          perceptron.add(found_, gold, 1);
          perceptron.add(found_, tags_[word], -1);
        }
      }
      if (tags_[word] == gold) ++right;
    }
    return right;
  }

  void find_features(size_t index, size_t word, RandomStream& chance) {
    room_.clear();
    features_[index].fixed_keys(word, room_);
    features_[index].tag_keys(word, tags_, room_);
    found_.clear();
    for (FeatureKey key : room_) {
      uint32_t number = table_.find(key);
      if (number != FeatureTable::kNone && chance.below(kLeftOut) != 0) found_.push_back(number);
    }
  }

  /// Keeps the features with the largest average weight for some tag.
  void keep_best(const Perceptron& perceptron) {
    std::vector<std::pair<double, FeatureKey>> ranked;
    for (size_t i = 0; i < keys_.size(); ++i) {
      double largest = 0.0;
      for (size_t tag = 0; tag < kUniversalTags; ++tag) {
        largest = std::max(largest, std::abs(perceptron.average(i, tag)));
      }
      ranked.emplace_back(-largest, keys_[i]);
    }
    auto kept = static_cast<size_t>(options_.max_features);
    std::nth_element(ranked.begin(), ranked.begin() + static_cast<int64_t>(kept), ranked.end());
    keys_.clear();
    for (size_t i = 0; i < kept; ++i) keys_.push_back(ranked[i].second);
    std::sort(keys_.begin(), keys_.end());
    table_ = FeatureTable(keys_);
  }

  /// Averages as eight bits. A few weights are far larger than all others: they are cut, so that
  /// the steps between numbers stay small.
  TaggerWeights rounded(const Perceptron& perceptron) const {
    double scale = kLargestWeight / limit_of(perceptron);
    TaggerWeights weights;
    std::array<int8_t, kUniversalTags> row;
    for (size_t i = 0; i < keys_.size(); ++i) {
      for (size_t tag = 0; tag < kUniversalTags; ++tag) {
        double value = std::round(perceptron.average(i, tag) * scale);
        row[tag] = static_cast<int8_t>(std::clamp(value, -kLargestWeight, kLargestWeight));
      }
      if (std::all_of(row.begin(), row.end(), [](int8_t weight) { return weight == 0; })) continue;
      weights.keys.push_back(keys_[i]);
      weights.rows.insert(weights.rows.end(), row.begin(), row.end());
    }
    return weights;
  }

  /// What all but one in a thousand of the weights that aren't zero stay below.
  double limit_of(const Perceptron& perceptron) const {
    std::vector<double> sizes;
    for (size_t i = 0; i < keys_.size(); ++i) {
      for (size_t tag = 0; tag < kUniversalTags; ++tag) {
        double size = std::abs(perceptron.average(i, tag));
        if (size > 0.0) sizes.push_back(size);
      }
    }
    if (sizes.empty()) return 1.0;
    auto place = sizes.end() - 1 - static_cast<int64_t>(sizes.size() / 1000);
    std::nth_element(sizes.begin(), place, sizes.end());
    return *place;
  }

  static constexpr double kLargestWeight = 127.0;

  TaggerLearnOptions options_;
  std::vector<TaggedSentence> sentences_;
  WordEntries words_;
  const std::function<void(const TaggerProgress&)>& report_;
  TaggerProgress progress_;
  std::vector<SentenceFeatures> features_;  // of each sentence
  std::vector<FeatureKey> keys_;            // by number, rising
  FeatureTable table_;                      // of the keys
  std::vector<UniversalTag> tags_;          // these three: room for learn_from
  std::vector<FeatureKey> room_;
  std::vector<uint32_t> found_;
};

}  // namespace

Tagger learn_tagger(const std::vector<ConlluSentence>& sentences, const TaggerLearnOptions& options,
                    const std::function<void(const TaggerProgress&)>& report) {
  std::vector<TaggedSentence> all;
  TagCounts counts;
  for (const ConlluSentence& sentence : sentences) {
    std::vector<TaggedSentence> ways = spellings(sentence);
    count_words(ways, counts);
    std::move(ways.begin(), ways.end(), std::back_inserter(all));
  }
  WordEntries words;
  for (const auto& [key, count] : counts) words.emplace(key, entry_of(count));
  return Learner(std::move(all), std::move(words), options, report).learn();
}

}  // namespace bough
