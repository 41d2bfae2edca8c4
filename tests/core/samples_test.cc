// The statistics of samples against the program of the paper's authors (NLTK 3.8).
#include "bough/metrics/samples.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "bough/base/random.h"
#include "bough/base/utf8.h"
#include "golden_metrics.h"

namespace bough {
namespace {

using nlohmann::json;

constexpr size_t kMaxOrder = 5;

std::vector<WordViews> split_all(std::span<const std::string> lines) {
  std::vector<WordViews> sentences;
  for (const std::string& line : lines) sentences.push_back(split_at_white_space(line));
  return sentences;
}

TEST(Samples, BleuIsThatOfThePapersProgram) {
  json golden = golden_json("uncond_bleu.json");
  std::vector<std::string> sample_lines = golden_lines("uncond_hyp.txt");
  std::vector<std::string> reference_lines = golden_lines("uncond_ref.txt");
  std::vector<WordViews> samples = split_all(sample_lines);
  std::vector<WordViews> references = split_all(reference_lines);
  SampleStatistics statistics = measure_samples(samples, {}, references, kMaxOrder, 2);
  ReferenceSet set(references, kMaxOrder);
  ReferenceSet own(samples, kMaxOrder);
  for (size_t n = 2; n <= kMaxOrder; ++n) {
    std::string name = fmt::format("bleu-{}", n);
    EXPECT_NEAR(statistics.bleu[n - 2], golden[name].get<double>(), 1e-12);
    EXPECT_NEAR(statistics.self_bleu[n - 2], golden["self-" + name].get<double>(), 1e-12);
    for (size_t i = 0; i < samples.size(); ++i) {
      double score = set.bleu(set.number(samples[i]))[n - 1];
      double self = own.bleu(own.number(samples[i]), static_cast<int64_t>(i))[n - 1];
      EXPECT_NEAR(score, golden[name + "_per_hyp"][i].get<double>(), 1e-12) << name << " " << i;
      EXPECT_NEAR(self, golden["self-" + name + "_per_hyp"][i].get<double>(), 1e-12);
    }
  }
}

/// The definition, a reference at a time.
std::vector<int64_t> plain_matches(const WordViews& sentence, std::span<const WordViews> others) {
  std::vector<int64_t> result;
  for (size_t n = 1; n <= kMaxOrder; ++n) {
    auto count = [n](const WordViews& words) {
      std::map<std::vector<std::string_view>, int64_t> counts;
      for (size_t i = 0; i + n <= words.size(); ++i) {
        ++counts[{words.begin() + static_cast<int64_t>(i),
                  words.begin() + static_cast<int64_t>(i + n)}];
      }
      return counts;
    };
    std::map<std::vector<std::string_view>, int64_t> most;
    for (const WordViews& other : others) {
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
    std::vector<WordViews> sentences(8);
    for (WordViews& sentence : sentences) {
      sentence.resize(random.below(9));
      for (std::string_view& word : sentence) word = kWords[random.below(kWords.size())];
    }
    WordNumbers words;
    NgramMaxima maxima(kMaxOrder);
    for (const WordViews& sentence : sentences) maxima.add(words.add_all(sentence));
    for (size_t i = 0; i < sentences.size(); ++i) {
      std::vector<WordViews> others = sentences;
      others.erase(others.begin() + static_cast<int64_t>(i));
      std::vector<uint32_t> numbers = words.add_all(sentences[i]);
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
  EXPECT_DOUBLE_EQ(statistics.novel_percent, 40);
  EXPECT_DOUBLE_EQ(statistics.unique_percent, 80);
  EXPECT_DOUBLE_EQ(statistics.mean_tokens, 8.0 / 5);
  EXPECT_TRUE(statistics.bleu.empty());
  for (double score : statistics.self_bleu) EXPECT_TRUE(std::isfinite(score));
}

TEST(Samples, EqualToAReferenceScoreFullMarks) {
  std::vector<std::string> lines = {"the cat sat on the mat", "a dog ran to the old house ."};
  std::vector<WordViews> sentences = split_all(lines);
  SampleStatistics statistics = measure_samples(sentences, {}, sentences, kMaxOrder, 1);
  for (double score : statistics.bleu) EXPECT_DOUBLE_EQ(score, 1);
}

TEST(Samples, HandleNoneAndOne) {
  EXPECT_EQ(measure_samples({}, {}, {}, kMaxOrder, 1).samples, 0);
  std::vector<WordViews> one = {{"a"}};
  EXPECT_TRUE(measure_samples(one, {}, one, kMaxOrder, 1).self_bleu.empty());
}

TEST(Samples, MeanSpanIsChildrenAParent) {
  std::vector<int> chain = {0, 1, 2};
  std::vector<int> bush = {1, 0, 2};
  std::vector<WordId> words = {5, 6, 7};
  std::vector<Tree> trees = {Tree::from_positions(words, chain)};
  EXPECT_DOUBLE_EQ(mean_span(trees).value(), 1);
  trees.push_back(Tree::from_positions(words, bush));
  EXPECT_DOUBLE_EQ(mean_span(trees).value(), 4.0 / 3);
  EXPECT_FALSE(mean_span({}).has_value());
}

}  // namespace
}  // namespace bough
