#include "bough/data/shortlist.h"

#include <algorithm>
#include <numeric>

#include "bough/base/list_file.h"

namespace bough {

namespace {

constexpr ListFormat kFormat = {
    .format = "bough-shortlist", .version = "1", .what = "shortlist", .verb = "bough shortlist"};

constexpr int kRounds = 5;           // more change little
constexpr size_t kConsidered = 500;  // translations of a word between the rounds
constexpr double kLeast = 1e-4;      // a translation that is less likely isn't kept

struct Translation {
  WordId word = 0;
  double likelihood = 0.0;
};

/// Model 1, one source word at a time.
class TranslationLearner {
 public:
  TranslationLearner(const Dataset& sources, const Dataset& targets, int64_t source_vocabulary,
                     int64_t vocabulary)
      : targets_(targets),
        pairs_(static_cast<size_t>(source_vocabulary)),
        known_(static_cast<size_t>(source_vocabulary)),
        likelihood_(static_cast<size_t>(vocabulary)),
        count_(static_cast<size_t>(vocabulary)) {
    for (int64_t i = 0; i < sources.size(); ++i) {
      first_place_.push_back(explained_.size());
      for (WordId word : sources.sentence(i)) pairs_[static_cast<size_t>(word)].push_back(i);
      // Before anything is known, all words of the source translate all of the target alike.
      explained_.resize(explained_.size() + targets.sentence(i).size(),
                        static_cast<double>(sources.length(i)));
    }
  }

  void run() {
    std::ranges::fill(likelihood_, 1.0);
    for (size_t word = 0; word < pairs_.size(); ++word) count(word);
    std::ranges::fill(likelihood_, 0.0);
    for (int round = 1; round < kRounds; ++round) {
      std::ranges::fill(explained_, 0.0);
      for (size_t word = 0; word < pairs_.size(); ++word) {
        with_likelihoods(word, [&] { explain(word); });
      }
      for (size_t word = 0; word < pairs_.size(); ++word) {
        with_likelihoods(word, [&] { count(word); });
      }
    }
  }

  /// The likeliest first.
  const std::vector<Translation>& translations(size_t source_word) const {
    return known_[source_word];
  }

 private:
  /// Calls `work` with what is known of a source word laid out by target word.
  template <typename Work>
  void with_likelihoods(size_t word, const Work& work) {
    std::vector<Translation> known = known_[word];  // `work` may learn others
    for (const Translation& t : known) likelihood_[static_cast<size_t>(t.word)] = t.likelihood;
    work();
    for (const Translation& t : known) likelihood_[static_cast<size_t>(t.word)] = 0.0;
  }

  /// Calls `take` with each target word beside a source word, and its place.
  template <typename Take>
  void for_each_partner(size_t word, const Take& take) const {
    for (int64_t pair : pairs_[word]) {
      size_t place = first_place_[static_cast<size_t>(pair)];
      for (WordId partner : targets_.sentence(pair)) take(partner, place++);
    }
  }

  /// Adds a source word to what explains the target words beside it.
  void explain(size_t word) {
    for_each_partner(word, [&](WordId partner, size_t place) {
      explained_[place] += likelihood_[static_cast<size_t>(partner)];
    });
  }

  /// Learns a source word's translations anew, from its share in what explains each target word.
  void count(size_t word) {
    std::vector<Translation> found;
    double total = 0.0;
    for_each_partner(word, [&](WordId partner, size_t place) {
      double likelihood = likelihood_[static_cast<size_t>(partner)];
      if (partner < kSpecials || likelihood == 0.0) return;
      double& sum = count_[static_cast<size_t>(partner)];
      if (sum == 0.0) found.push_back({.word = partner});
      double share = likelihood / explained_[place];
      sum += share;
      total += share;
    });
    for (Translation& t : found) {
      t.likelihood = std::exchange(count_[static_cast<size_t>(t.word)], 0.0) / total;
    }
    std::ranges::sort(found, [](const Translation& a, const Translation& b) {
      return a.likelihood != b.likelihood ? a.likelihood > b.likelihood : a.word < b.word;
    });
    found.resize(std::min(found.size(), kConsidered));
    known_[word] = std::move(found);
  }

  const Dataset& targets_;
  std::vector<std::vector<int64_t>> pairs_;      // by source word: where it stands
  std::vector<std::vector<Translation>> known_;  // by source word
  std::vector<size_t> first_place_;              // by pair: of its target's words
  std::vector<double> explained_;                // by place: Σ_f t(e|f) over the source
  std::vector<double> likelihood_;               // by target word, of the source word under way
  std::vector<double> count_;                    // by target word, of the source word under way
};

std::vector<uint32_t> by_falling_count(const Dataset& data, int64_t vocabulary) {
  std::vector<int64_t> counts(static_cast<size_t>(vocabulary));
  for (int64_t i = 0; i < data.size(); ++i) {
    for (WordId word : data.sentence(i)) ++counts[static_cast<size_t>(word)];
  }
  std::vector<uint32_t> words(static_cast<size_t>(vocabulary - kSpecials));
  std::iota(words.begin(), words.end(), static_cast<uint32_t>(kSpecials));
  std::ranges::stable_sort(words, [&](uint32_t a, uint32_t b) { return counts[a] > counts[b]; });
  return words;
}

/// Names a vocabulary: another one has other numbers for its words.
std::string fingerprint(const Vocabulary& vocabulary) {
  uint32_t sum = 0;
  for (WordId id = 0; id < vocabulary.size(); ++id) sum = checksum(vocabulary.word(id) + "\n", sum);
  return fmt::format("{} entries, crc32 {:08x}", vocabulary.size(), sum);
}

}  // namespace

Shortlist Shortlist::learn(const Dataset& sources, const Dataset& targets,
                           int64_t source_vocabulary, int64_t vocabulary) {
  TranslationLearner learner(sources, targets, source_vocabulary, vocabulary);
  learner.run();
  Shortlist list;
  list.frequent_ = by_falling_count(targets, vocabulary);
  list.begins_.push_back(0);
  for (size_t word = 0; word < static_cast<size_t>(source_vocabulary); ++word) {
    const std::vector<Translation>& known = learner.translations(word);
    for (size_t i = 0; i < std::min(kKept, known.size()) && known[i].likelihood >= kLeast; ++i) {
      list.translations_.push_back(static_cast<uint32_t>(known[i].word));
    }
    list.begins_.push_back(static_cast<uint32_t>(list.translations_.size()));
  }
  return list;
}

void Shortlist::save(const fs::path& path, const Vocabulary& source,
                     const Vocabulary& target) const {
  write_lists(path, kFormat,
              {list_entry("frequent", frequent_), list_entry("begins", begins_),
               list_entry("translations", translations_)},
              {{"vocabulary", fingerprint(target)}, {"source_vocabulary", fingerprint(source)}});
}

Shortlist Shortlist::load(const fs::path& path, const Vocabulary& source,
                          const Vocabulary& target) {
  ListFile file(path, kFormat);
  if (file.metadata("vocabulary") != fingerprint(target) ||
      file.metadata("source_vocabulary") != fingerprint(source)) {
    file.fail("it belongs to a model with another vocabulary; make it again by `bough shortlist`");
  }
  Shortlist list;
  list.frequent_ = file.numbers<uint32_t>("frequent");
  list.begins_ = file.numbers<uint32_t>("begins");
  list.translations_ = file.numbers<uint32_t>("translations");
  auto are_words = [&](const std::vector<uint32_t>& words) {
    return std::ranges::all_of(words, [&](uint32_t word) {
      return word >= kSpecials && word < static_cast<uint64_t>(target.size());
    });
  };
  bool fits = list.begins_.size() == static_cast<size_t>(source.size()) + 1 &&
              list.begins_.front() == 0 && list.begins_.back() == list.translations_.size() &&
              std::ranges::is_sorted(list.begins_) && are_words(list.frequent_) &&
              are_words(list.translations_);
  if (!fits) file.fail("its lists don't fit together");
  return list;
}

std::vector<WordId> Shortlist::words_for(std::span<const WordId> source, int64_t each) const {
  std::vector<WordId> words(kSpecials);
  std::iota(words.begin(), words.end(), 0);
  auto add = [&](std::span<const uint32_t> best) {
    auto count = std::min(best.size(), static_cast<size_t>(each));
    words.insert(words.end(), best.begin(), best.begin() + static_cast<int64_t>(count));
  };
  add(frequent_);
  for (WordId word : source) {
    uint32_t begin = begins_[static_cast<size_t>(word)];
    uint32_t end = begins_[static_cast<size_t>(word) + 1];
    add(std::span(translations_).subspan(begin, end - begin));
  }
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

}  // namespace bough
