// YiSi-0 and YiSi-1: agreement with the reference implementation, and their laws.
#include "bough/metrics/yisi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bough/base/error.h"
#include "error_messages.h"
#include "golden_metrics.h"
#include "temp_folder.h"

namespace bough {
namespace {

using Lines = std::vector<std::string>;

// The reference implementation squares a vector's values in single precision; all else agrees to
// the last few bits.
constexpr double kWithoutVectors = 1e-13;
constexpr double kWithVectors = 1e-8;

std::shared_ptr<const WordVectors> golden_vectors() {
  static const auto kVectors =
      std::make_shared<const WordVectors>(golden_path("yisi_vec50_synthetic.txt").string());
  return kVectors;
}

/// A file name, or two with a colon between them.
References references_of(const std::string& names) {
  size_t colon = names.find(':');
  if (colon == std::string::npos) return golden_references({names});
  return golden_references({names.substr(0, colon), names.substr(colon + 1)});
}

/// What the reference implementation calls `config` under our names.
Yisi make_golden(const nlohmann::json& config, const References& references) {
  YisiOptions options;
  options.alpha = config.at("alpha");
  options.ngram = config.at("ngram-size");
  if (config.at("reflexweight-type") == "uniform") options.weights = YisiWeights::kUniform;
  if (config.at("lexsim-type") == "lcs") {
    return {YisiSimilarity::kLcs, options, references, nullptr};
  }
  if (config.at("lexsim-type") == "exact") {
    return {YisiSimilarity::kExact, options, references, nullptr};
  }
  return {YisiSimilarity::kVectors, options, references, golden_vectors()};
}

/// Parts of one sentence with the given references; weights are uniform.
YisiParts parts_of(std::string_view hypothesis, const Lines& references, YisiSimilarity similarity,
                   std::shared_ptr<const WordVectors> vectors = nullptr, int64_t n = 3) {
  std::vector<Lines> files;
  for (const std::string& reference : references) files.push_back({reference});
  References all(files);
  YisiOptions options{.ngram = n, .weights = YisiWeights::kUniform};
  return Yisi(similarity, options, all, std::move(vectors)).parts({hypothesis, all.of(0)});
}

YisiParts lcs_parts(std::string_view hypothesis, const std::string& reference, int64_t n = 3) {
  return parts_of(hypothesis, {reference}, YisiSimilarity::kLcs, nullptr, n);
}

std::shared_ptr<const WordVectors> vectors_from(std::string_view content) {
  TempFolder folder;
  put(folder.path() / "vectors.txt", content);
  return std::make_shared<const WordVectors>((folder.path() / "vectors.txt").string());
}

// ---- agreement

TEST(Yisi, AgreesWithTheReferenceImplementation) {
  auto golden = golden_json("yisi.json");
  ASSERT_EQ(golden.size(), 22U);
  for (const auto& [key, expected] : golden.items()) {
    const auto& config = expected.at("config");
    References references = references_of(config.at("ref-file"));
    Lines hypotheses = golden_lines(config.at("hyp-file"));
    Yisi metric = make_golden(config, references);
    double tolerance = key.starts_with("yisi1") ? kWithVectors : kWithoutVectors;

    for (size_t line = 0; line < hypotheses.size(); ++line) {
      YisiParts parts = metric.parts({hypotheses[line], references.of(line)});
      EXPECT_NEAR(parts.precision, expected.at("sentence_precision")[line], tolerance)
          << key << ", line " << line + 1;
      EXPECT_NEAR(parts.recall, expected.at("sentence_recall")[line], tolerance)
          << key << ", line " << line + 1;
      EXPECT_NEAR(parts.score, expected.at("sentence_scores")[line], tolerance)
          << key << ", line " << line + 1;
    }
    Rows rows = measure_text(metric, hypotheses, references, 2);
    EXPECT_NEAR(metric.score(rows.sum()), expected.at("document_score"), tolerance) << key;
  }
}

TEST(Yisi, NeedsOnlyTheVectorsOfTheTextsWords) {
  References references = golden_references({"ref1.tok.txt"});
  Lines hypotheses = golden_lines("hypA.tok.txt");
  WordSet words;
  for (size_t line = 0; line < hypotheses.size(); ++line) {
    add_yisi_words(hypotheses[line], words);
    add_yisi_words(references.of(line)[0], words);
  }
  auto path = golden_path("yisi_vec50_synthetic.txt").string();
  auto some = std::make_shared<const WordVectors>(path, &words);
  auto with_all = make_yisi(YisiSimilarity::kVectors, {}, references, golden_vectors());
  auto with_some = make_yisi(YisiSimilarity::kVectors, {}, references, some);
  EXPECT_LT(some->size(), golden_vectors()->size());
  EXPECT_EQ(measure_text(*with_some, hypotheses, references, 1).sum(),
            measure_text(*with_all, hypotheses, references, 1).sum());
}

// ---- laws

TEST(Yisi, IdentityScoresOne) {
  for (const char* name : {"ref1.tok.txt", "ref1.txt", "ref2.txt"}) {
    References references = golden_references({name});
    for (auto similarity :
         {YisiSimilarity::kLcs, YisiSimilarity::kVectors, YisiSimilarity::kExact}) {
      Yisi metric(similarity, {}, references, golden_vectors());
      for (size_t line = 0; line < references.lines(); ++line) {
        YisiParts parts = metric.parts({references.of(line)[0], references.of(line)});
        EXPECT_DOUBLE_EQ(parts.score, 1.0) << name << ", line " << line + 1;
      }
    }
  }
}

TEST(Yisi, TheOrderOfSentencesDoesNotMatter) {
  Lines reference = golden_lines("ref1.tok.txt");
  Lines hypothesis = golden_lines("hypB.tok.txt");
  auto score = [](const Lines& hypotheses, const Lines& lines) {
    References references({lines});
    auto metric = make_yisi(YisiSimilarity::kLcs, {}, references, nullptr);
    return metric->score(measure_text(*metric, hypotheses, references, 2).sum());
  };
  double forwards = score(hypothesis, reference);
  std::reverse(reference.begin(), reference.end());
  std::reverse(hypothesis.begin(), hypothesis.end());
  EXPECT_NEAR(score(hypothesis, reference), forwards, 1e-12);
}

TEST(Yisi, ExchangingTheSidesExchangesPrecisionAndRecall) {
  Lines left = golden_lines("hypA.tok.txt");
  Lines right = golden_lines("ref1.tok.txt");
  References references({left, right});  // the weights of both, whichever is the hypothesis
  Yisi metric(YisiSimilarity::kLcs, {}, references, nullptr);
  for (size_t line = 0; line < left.size(); ++line) {
    std::string_view sides[2] = {left[line], right[line]};
    YisiParts one = metric.parts({sides[0], {&sides[1], 1}});
    YisiParts other = metric.parts({sides[1], {&sides[0], 1}});
    EXPECT_DOUBLE_EQ(one.precision, other.recall);
    EXPECT_DOUBLE_EQ(one.recall, other.precision);
  }
}

// ---- by hand

TEST(Yisi, ComparesWordsByTheirLongestCommonSubstring) {
  EXPECT_DOUBLE_EQ(lcs_parts("abcd", "xbcdy").score, 2.0 * 3 / 9);
  EXPECT_DOUBLE_EQ(lcs_parts("xbcdy", "abcd").score, 2.0 * 3 / 9);
  EXPECT_DOUBLE_EQ(lcs_parts("aXbXc", "abc").score, 2.0 * 1 / 8);  // no subsequence
  EXPECT_DOUBLE_EQ(lcs_parts("House", "house").score, 2.0 * 4 / 10);
  EXPECT_DOUBLE_EQ(lcs_parts("abc", "xyz").score, 0.0);
  EXPECT_DOUBLE_EQ(lcs_parts("ab", "xxxxab").score, 2.0 * 2 / 8);
  EXPECT_DOUBLE_EQ(lcs_parts("abxxxx", "ab").score, 2.0 * 2 / 8);
}

TEST(Yisi, ComparesBytes) {
  // ä is C3 A4, ö is C3 B6: they have a byte in common.
  EXPECT_DOUBLE_EQ(lcs_parts("ä", "ö").score, 0.5);
  EXPECT_DOUBLE_EQ(lcs_parts("früh", "für").score, 2.0 * 2 / 9);
  EXPECT_DOUBLE_EQ(lcs_parts("日本", "日本").score, 1.0);
}

TEST(Yisi, SplitsAtUnicodeWhiteSpace) {
  EXPECT_DOUBLE_EQ(lcs_parts("the\tcat\u3000sat ", "the cat sat").score, 1.0);
}

TEST(Yisi, TakesTheMostSimilarNgram) {
  // Bigrams of the reference: `a b` is there, `b c` is half there (`b d`).
  YisiParts parts = lcs_parts("a b d", "a b c", 2);
  EXPECT_DOUBLE_EQ(parts.recall, 0.75);
  EXPECT_DOUBLE_EQ(parts.precision, 0.75);
  // Alone every word of `b a` is in the reference; as bigrams they stand in the wrong order.
  EXPECT_DOUBLE_EQ(lcs_parts("b a", "a b", 1).score, 1.0);
  EXPECT_DOUBLE_EQ(lcs_parts("b a", "a b", 2).score, 0.0);
}

TEST(Yisi, ShortensNgramsToTheShorterSentence) {
  YisiParts parts = lcs_parts("b", "a b c d", 3);
  EXPECT_DOUBLE_EQ(parts.precision, 1.0);
  EXPECT_DOUBLE_EQ(parts.recall, 0.25);
  EXPECT_DOUBLE_EQ(parts.score, 0.25 / (0.8 + 0.2 * 0.25));
}

TEST(Yisi, WeighsWordsOfFewReferencesMore) {
  References references({{"the cat", "the dog", "the Owl"}});
  Yisi metric(YisiSimilarity::kExact, {.alpha = 0.8, .ngram = 1}, references, nullptr);
  double the = std::log2(1.0 + 4.0 / 4.0);
  double once = std::log2(1.0 + 4.0 / 2.0);
  double never = std::log2(1.0 + 4.0 / 1.0);
  auto recall = [&](std::string_view hypothesis, std::string_view reference) {
    return metric.parts({hypothesis, {&reference, 1}}).recall;
  };
  constexpr double kElse = 0.00001;  // similarity of different words
  EXPECT_DOUBLE_EQ(recall("the", "the cat"), (the + once * kElse) / (the + once));
  EXPECT_DOUBLE_EQ(recall("the", "the zebra"), (the + never * kElse) / (the + never));
  // A word that isn't in the references as it is written has the weight of its lower case; not the
  // other way round.
  EXPECT_DOUBLE_EQ(recall("the", "the CAT"), (the + once * kElse) / (the + once));
  EXPECT_DOUBLE_EQ(recall("the", "the owl"), (the + never * kElse) / (the + never));
}

TEST(Yisi, ComparesWordsByTheirVectors) {
  auto vectors = vectors_from("4 2\nnorth 0 2\nnortheast 1 1\nsouth 0 -3\nnowhere 0 0\n");
  auto score = [&](std::string_view left, const std::string& right) {
    return parts_of(left, {right}, YisiSimilarity::kVectors, vectors).score;
  };
  EXPECT_DOUBLE_EQ(score("north", "northeast"), std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(score("NORTH", "NorthEast"), std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(score("north", "south"), 0.0);
  EXPECT_DOUBLE_EQ(score("north", "nowhere"), 0.0);
  EXPECT_DOUBLE_EQ(score("north", "unheard"), 0.0);
  EXPECT_DOUBLE_EQ(score("unheard", "Unheard"), 1.0);
  EXPECT_DOUBLE_EQ(score("über", "Über"), 0.0);  // only ASCII letters have case
}

TEST(Yisi, TakesPrecisionAndRecallEachOfTheBestReference) {
  YisiParts parts = parts_of("a b", {"a", "a b c d"}, YisiSimilarity::kExact, nullptr, 1);
  EXPECT_NEAR(parts.precision, 1.0, 1e-4);  // of the second
  EXPECT_NEAR(parts.recall, 1.0, 1e-4);     // of the first
}

TEST(Yisi, GivesNothingForEmptySentences) {
  for (auto similarity : {YisiSimilarity::kLcs, YisiSimilarity::kVectors, YisiSimilarity::kExact}) {
    for (auto [hypothesis, reference] :
         {std::pair("", "a b"), {"a b", ""}, {"", ""}, {" ", "\t"}}) {
      YisiParts parts = parts_of(hypothesis, {reference}, similarity, golden_vectors());
      EXPECT_EQ(parts.precision, 0.0);
      EXPECT_EQ(parts.recall, 0.0);
      EXPECT_EQ(parts.score, 0.0);
    }
  }
  EXPECT_DOUBLE_EQ(parts_of("a b", {"", "a b"}, YisiSimilarity::kLcs).score, 1.0);
  References none({Lines()});
  auto metric = make_yisi(YisiSimilarity::kLcs, {}, none, nullptr);
  EXPECT_EQ(metric->score(measure_text(*metric, {}, none, 1).sum()), 0.0);
}

TEST(Yisi, SaysWhatItsScoreDependsOn) {
  using Settings = std::vector<std::pair<std::string, std::string>>;
  References references({{"a"}});
  auto yisi0 = make_yisi(YisiSimilarity::kLcs, {}, references, nullptr);
  EXPECT_EQ(yisi0->name(), "YiSi-0");
  EXPECT_EQ(yisi0->settings(),
            (Settings{{"sim", "lcs"}, {"weights", "learn"}, {"n", "3"}, {"alpha", "0.8"}}));
  TempFolder folder;
  put(folder.path() / "a:b|c.txt", "x 1 2 3\n");
  auto vectors = std::make_shared<const WordVectors>((folder.path() / "a:b|c.txt").string());
  YisiOptions options{.alpha = 0.5, .ngram = 1, .weights = YisiWeights::kUniform};
  auto yisi1 = make_yisi(YisiSimilarity::kVectors, options, references, vectors);
  EXPECT_EQ(yisi1->name(), "YiSi-1");
  EXPECT_EQ(yisi1->settings(), (Settings{{"sim", "vectors"},
                                         {"vectors", "a_b_c.txt-3d"},
                                         {"weights", "uniform"},
                                         {"n", "1"},
                                         {"alpha", "0.5"}}));
}

TEST(Yisi, NeedsVectorsForYisi1) {
  References references({{"a"}});
  expect_contains(
      message_of<UsageError>([&] { make_yisi(YisiSimilarity::kVectors, {}, references, nullptr); }),
      "word vectors");
}

}  // namespace
}  // namespace bough
