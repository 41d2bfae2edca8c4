// The statistics of samples against the program of the paper's authors (NLTK 3.8).
#include "bough/metrics/samples.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "bough/base/random.h"
#include "bough/base/utf8.h"
#include "bough/text/word_numbers.h"
#include "golden_metrics.h"

namespace bough {
namespace {

using nlohmann::json;

constexpr size_t kMaxOrder = 5;

using Sentence = std::vector<std::string>;

SplitSentences split_all(std::span<const std::string> lines) {
  SplitSentences sentences;
  for (const std::string& line : lines) {
    std::vector<std::string_view> words = split_at_white_space(line);
    sentences.emplace_back(words.begin(), words.end());
  }
  return sentences;
}

std::vector<uint32_t> numbers_of(const std::vector<std::string>& sentence, WordNumbers& words) {
  std::vector<uint32_t> numbers;
  for (const std::string& word : sentence) numbers.push_back(words.add(word));
  return numbers;
}

TEST(Samples, BleuIsThatOfThePapersProgram) {
  json golden = golden_json("uncond_bleu.json");
  SplitSentences samples = split_all(golden_lines("uncond_hyp.txt"));
  SplitSentences references = split_all(golden_lines("uncond_ref.txt"));
  SampleStatistics statistics = measure_samples(samples, {}, references, kMaxOrder, 2);
  WordNumbers words;
  ReferenceSet set(kMaxOrder);
  ReferenceSet own(kMaxOrder);
  for (const auto& reference : references) set.add(numbers_of(reference, words));
  for (const auto& sample : samples) own.add(numbers_of(sample, words));
  for (size_t n = 2; n <= kMaxOrder; ++n) {
    std::string name = fmt::format("bleu-{}", n);
    EXPECT_NEAR(statistics.bleu[n - 2], golden[name].get<double>(), 1e-12);
    EXPECT_NEAR(statistics.self_bleu[n - 2], golden["self-" + name].get<double>(), 1e-12);
    for (size_t i = 0; i < samples.size(); ++i) {
      std::vector<uint32_t> sample = numbers_of(samples[i], words);
      EXPECT_NEAR(set.bleu(sample)[n - 1], golden[name + "_per_hyp"][i].get<double>(), 1e-12)
          << name << " " << i;
      EXPECT_NEAR(own.bleu(sample, static_cast<int64_t>(i))[n - 1],
                  golden["self-" + name + "_per_hyp"][i].get<double>(), 1e-12)
          << name << " " << i;
    }
  }
}

/// The definition, a reference at a time.
std::vector<int64_t> plain_matches(const Sentence& sentence, const SplitSentences& others) {
  std::vector<int64_t> result;
  for (size_t n = 1; n <= kMaxOrder; ++n) {
    auto count = [n](const Sentence& words) {
      std::map<Sentence, int64_t> counts;
      for (size_t i = 0; i + n <= words.size(); ++i) {
        ++counts[{words.begin() + static_cast<int64_t>(i),
                  words.begin() + static_cast<int64_t>(i + n)}];
      }
      return counts;
    };
    std::map<Sentence, int64_t> most;
    for (const Sentence& other : others) {
      for (const auto& [ngram, times] : count(other)) most[ngram] = std::max(most[ngram], times);
    }
    int64_t matches = 0;
    for (const auto& [ngram, times] : count(sentence)) matches += std::min(times, most[ngram]);
    result.push_back(matches);
  }
  return result;
}

TEST(Samples, MergedMaximaAreThoseOfEveryReference) {
  RandomStream random(3, Purpose::kTest);
  static constexpr std::array<std::string_view, 4> kWords = {"a", "b", "c", "d"};
  for (int trial = 0; trial < 50; ++trial) {
    SplitSentences sentences(8);
    for (Sentence& sentence : sentences) {
      sentence.resize(random.below(9));
      for (std::string& word : sentence) word = kWords[random.below(kWords.size())];
    }
    WordNumbers words;
    NgramMaxima maxima(kMaxOrder);
    for (const Sentence& sentence : sentences) maxima.add(numbers_of(sentence, words));
    for (size_t i = 0; i < sentences.size(); ++i) {
      SplitSentences others = sentences;
      others.erase(others.begin() + static_cast<int64_t>(i));
      std::vector<uint32_t> numbers = numbers_of(sentences[i], words);
      EXPECT_EQ(maxima.matches(numbers), plain_matches(sentences[i], sentences));
      EXPECT_EQ(maxima.matches(numbers, static_cast<int64_t>(i)),
                plain_matches(sentences[i], others));
    }
  }
}

TEST(Samples, CountsWhatIsNovelAndUnique) {
  std::vector<std::string> lines = {"a b", "a b", "a  b c", "", "d"};
  std::vector<std::string> training_lines = {"a b", "a bc", "d"};
  SampleStatistics statistics =
      measure_samples(split_all(lines), split_all(training_lines), {}, kMaxOrder, 1);
  EXPECT_EQ(statistics.samples, 5);
  EXPECT_DOUBLE_EQ(statistics.novel_percent.value(), 40);
  EXPECT_DOUBLE_EQ(statistics.unique_percent, 80);
  EXPECT_DOUBLE_EQ(statistics.mean_tokens, 8.0 / 5);
  EXPECT_TRUE(statistics.bleu.empty());
  for (double score : statistics.self_bleu) EXPECT_TRUE(std::isfinite(score));
}

TEST(Samples, EqualToAReferenceScoreFullMarks) {
  std::vector<std::string> lines = {"the cat sat on the mat", "a dog ran to the old house ."};
  SplitSentences sentences = split_all(lines);
  SampleStatistics statistics = measure_samples(sentences, {}, sentences, kMaxOrder, 1);
  for (double score : statistics.bleu) EXPECT_DOUBLE_EQ(score, 1);
}

TEST(Samples, HandleNoneAndOne) {
  EXPECT_EQ(measure_samples({}, {}, {}, kMaxOrder, 1).samples, 0);
  SplitSentences one = {{"a"}};
  EXPECT_FALSE(measure_samples(one, {}, one, kMaxOrder, 1).novel_percent.has_value());
  EXPECT_TRUE(measure_samples(one, {}, one, kMaxOrder, 1).self_bleu.empty());
}

}  // namespace
}  // namespace bough
