// METEOR against METEOR 1.5 itself (see tests/golden/metrics/README.md), its parts, and its laws.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "bough/base/error.h"
#include "bough/base/random.h"
#include "bough/data/synonyms.h"
#include "bough/metrics/meteor.h"
#include "error_messages.h"
#include "golden_metrics.h"

namespace bough {
namespace {

using Words = std::vector<std::string>;

std::shared_ptr<const SynonymTable> wordnet() {
  static const auto table = std::make_shared<const SynonymTable>("/usr/share/wordnet");
  return table;
}

Words normalized(std::string_view line, MeteorNormalization kind = MeteorNormalization::kFull) {
  return meteor_words(line, kind);
}

Words split(const std::string& line) {
  std::istringstream stream(line);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

Rows measure(const Metric& metric, const Words& hypotheses, std::vector<Words> references) {
  return measure_text(metric, hypotheses, References(std::move(references)), 2);
}

double score_of(const Metric& metric, const std::string& hypothesis, const Words& references) {
  std::vector<Words> files;
  for (const auto& reference : references) files.push_back({reference});
  Rows rows = measure(metric, {hypothesis}, files);
  return metric.sentence_score(rows.of(0));
}

// ---- golden values

/// Our options for METEOR's own: `-l en -norm -m "exact stem" -x 5`.
MeteorOptions options_of(const std::string& command_line) {
  std::map<std::string, std::string> values;
  std::string name;
  for (std::string word : split(command_line)) {
    if (word.size() > 1 && word[0] == '-') {
      values[name = word];
      continue;
    }
    std::erase(word, '"');
    values[name] += (values[name].empty() ? "" : ",") + word;
  }
  MeteorOptions options;
  OptionSet set;
  options.declare(set);
  auto give = [&](const char* theirs, const char* ours) {
    if (values.contains(theirs)) set.set(ours, values[theirs], theirs);
  };
  give("-m", "meteor-modules");
  give("-t", "meteor-task");
  give("-w", "meteor-weights");
  give("-x", "meteor-beam");
  const char* kind = values.contains("-norm") ? "norm" : "none";
  if (values.contains("-lower")) kind = "lower";
  if (values.contains("-noPunct")) kind = "nopunct";
  set.set("meteor-normalize", kind, "-norm");
  if (values.contains("-p")) {
    std::replace(values["-p"].begin(), values["-p"].end(), ',', ' ');
    auto numbers = split(values["-p"]);
    const char* parameters[] = {"meteor-alpha", "meteor-beta", "meteor-gamma", "meteor-delta"};
    for (size_t i = 0; i < 4; ++i) set.set(parameters[i], numbers.at(i), "-p");
  }
  return options;
}

/// Our row for a line of METEOR's statistics.
std::vector<double> row_of(const std::string& statistics, size_t modules) {
  std::vector<double> theirs;
  for (const std::string& number : split(statistics)) theirs.push_back(std::stod(number));
  bool complete = theirs[21] == theirs[0] && theirs[22] == theirs[1] && theirs[20] == 1.0;
  std::vector<double> row = {complete ? 0.0 : theirs[20], theirs[0] - theirs[2], theirs[2],
                             theirs[1] - theirs[3], theirs[3]};
  for (size_t i = 0; i < modules; ++i) {
    for (size_t which : {0, 2, 1, 3}) row.push_back(theirs[4 + 4 * i + which]);
  }
  return row;
}

/// METEOR's undefined values are zeros here.
double number_or_zero(const nlohmann::json& value) {
  return value.is_null() ? 0.0 : value.get<double>();
}

class MeteorGolden : public testing::TestWithParam<std::string> {};

TEST_P(MeteorGolden, Agrees) {
  const auto golden = golden_json("meteor.json").at(GetParam());
  MeteorOptions options = options_of(golden.at("options"));
  auto metric = make_meteor(options, wordnet());
  Rows rows = measure_text(*metric, golden_lines(golden.at("hyp")),
                           golden_references(golden.at("refs")), 2);
  auto sums = rows.sum();
  const auto& system = golden.at("system");
  EXPECT_NEAR(metric->score(sums), system.at("final_score").get<double>(), 1e-12);
  EXPECT_EQ(
      metric->details(sums),
      fmt::format("(precision = {:.6f} recall = {:.6f} penalty = {:.6f} hyp_len = {} ref_len = {} "
                  "matches = {} chunks = {})",
                  system.at("precision").get<double>(), system.at("recall").get<double>(),
                  system.at("frag_penalty").get<double>(), system.at("test_words").get<double>(),
                  system.at("reference_words").get<double>(),
                  system.at("stage_matches").at("Total").at("test_total").get<double>(),
                  system.at("chunks").get<double>()));
  const auto& scores = golden.at("segment_score");
  ASSERT_EQ(rows.lines(), scores.size());
  for (size_t i = 0; i < rows.lines(); ++i) {
    EXPECT_NEAR(metric->sentence_score(rows.of(i)), scores[i].get<double>(), 1e-12)
        << "line " << i + 1;
  }
  if (!golden.contains("segment_stats")) return;
  size_t modules = meteor_modules(options).size();
  for (size_t i = 0; i < rows.lines(); ++i) {
    auto row = rows.of(i);
    EXPECT_EQ(std::vector(row.begin(), row.end()), row_of(golden.at("segment_stats")[i], modules))
        << "line " << i + 1;
    auto expected = fmt::format("(precision = {:.6f} recall = {:.6f} penalty = {:.6f} ",
                                number_or_zero(golden.at("segment_precision")[i]),
                                number_or_zero(golden.at("segment_recall")[i]),
                                number_or_zero(golden.at("segment_frag_penalty")[i]));
    EXPECT_EQ(metric->details(row).substr(0, expected.size()), expected) << "line " << i + 1;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, MeteorGolden,
    testing::Values("exact_hypA_1ref", "exact_hypA_2ref", "exact_hypB_1ref", "exact_hypB_2ref",
                    "exact_stem_hypA_1ref", "exact_stem_hypA_2ref", "exact_stem_hypB_1ref",
                    "exact_stem_hypB_2ref", "debian_wordnet_hypA_1ref", "debian_wordnet_hypA_2ref",
                    "debian_wordnet_hypB_1ref", "debian_wordnet_hypB_2ref", "adq_hypA_1ref",
                    "li_hypA_1ref", "noPunct_hypA_1ref", "lower_hypA_1ref", "nonorm_hypA_1ref",
                    "customparams_hypA_1ref", "beam5_hypA_1ref", "lower_exact_stem_hypA_1ref"),
    [](const auto& info) { return info.param; });

TEST(Meteor, AllGoldenKeysAreTested) {
  EXPECT_EQ(golden_json("meteor.json").size(), 20U);
}

TEST(Meteor, GoldenAlignments) {
  auto hypotheses = golden_lines("hypA.txt");
  auto references = golden_lines("ref1.txt");
  MeteorAligner aligner({MeteorModule::kExact, MeteorModule::kStem, MeteorModule::kSynonym}, 40,
                        wordnet());
  auto lines = golden_lines("meteor_align_hypA_1ref.txt");
  size_t at = 0;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    ASSERT_TRUE(lines.at(at).starts_with(fmt::format("Alignment\t{}\t", i + 1)));
    Words hypothesis = normalized(hypotheses[i]);
    Words reference = normalized(references[i]);
    EXPECT_EQ(fmt::format("{}", fmt::join(hypothesis, " ")), lines.at(at + 1));
    EXPECT_EQ(fmt::format("{}", fmt::join(reference, " ")), lines.at(at + 2));
    Words matches;
    for (const auto& match : aligner.align(hypothesis, reference).matches) {
      matches.push_back(fmt::format("{}:1\t\t\t{}:1\t\t\t{}\t\t1.0", match.reference,
                                    match.hypothesis, match.module));
    }
    Words expected;
    for (at += 4; !lines.at(at).empty(); ++at) expected.push_back(lines.at(at));
    EXPECT_EQ(matches, expected) << "line " << i + 1;
    ++at;
  }
  EXPECT_EQ(at, lines.size());
}

// ---- words

TEST(MeteorNormalizer, SetsOffPunctuation) {
  EXPECT_EQ(normalized("Hello, (dear) World!"),
            (Words{"hello", ",", "(", "dear", ")", "world", "!"}));
  EXPECT_EQ(normalized("1,000 men, 3,x,4"), (Words{"1,000", "men", ",", "3", ",", "x", ",", "4"}));
  EXPECT_EQ(normalized("a,b,c"), (Words{"a", ",", "b,c"}));  // a match takes the `b` with it
  EXPECT_EQ(normalized(""), Words{});
  EXPECT_EQ(normalized(" \t "), Words{});
}

TEST(MeteorNormalizer, FullStops) {
  EXPECT_EQ(normalized("The end."), (Words{"the", "end", "."}));
  EXPECT_EQ(normalized("Dr. No met J. Smith."), (Words{"dr.", "no", "met", "j.", "smith", "."}));
  EXPECT_EQ(normalized("Acme Inc. said so"), (Words{"acme", "inc.", "said", "so"}));
  EXPECT_EQ(normalized("Acme Inc. Said so"), (Words{"acme", "inc", ".", "said", "so"}));
  EXPECT_EQ(normalized("No. 5"), (Words{"no.", "5"}));
  EXPECT_EQ(normalized("No. Five"), (Words{"no", ".", "five"}));
  EXPECT_EQ(normalized("the U.S. and 3.5"), (Words{"the", "us", "and", "3.5"}));
  EXPECT_EQ(normalized("wait... what.."), (Words{"wait", "...", "what", ".."}));
}

TEST(MeteorNormalizer, DashesAndQuotes) {
  EXPECT_EQ(normalized("well-known U.S.-based"), (Words{"well", "known", "us", "based"}));
  EXPECT_EQ(normalized("a-b-c"), (Words{"a", "b-c"}));
  EXPECT_EQ(normalized("yes -- no – x"), (Words{"yes", "-", "no", "-", "x"}));
  EXPECT_EQ(normalized("“so” ‘it’ ''was''"),
            (Words{"\"", "so", "\"", "'", "it", "'", "\"", "was", "\""}));
  EXPECT_EQ(normalized("don't the 1990's cats' 'n"),
            (Words{"don", "'t", "the", "1990", "'s", "cats", "'", "'", "n"}));
}

TEST(MeteorNormalizer, Unicode) {
  EXPECT_EQ(normalized("ÉTÉ Ёлка"), (Words{"été", "ёлка"}));
  EXPECT_EQ(normalized("日本👍"), (Words{"日", "本", "👍"}));
  EXPECT_EQ(normalized("a\u00a0b\u3000c"), (Words{"a", "b", "c"}));
  EXPECT_EQ(normalized("a\u200bb"), (Words{"a", "\u200b", "b"}));
}

TEST(MeteorNormalizer, OtherKinds) {
  std::string line = "Don't stop, U.S.A\u00a0now!";
  EXPECT_EQ(normalized(line, MeteorNormalization::kNoPunctuation),
            (Words{"don", "t", "stop", "u", "s", "a", "now"}));
  EXPECT_EQ(normalized(line, MeteorNormalization::kLowerCase),
            (Words{"don't", "stop,", "u.s.a\u00a0now!"}));
  EXPECT_EQ(normalized(line, MeteorNormalization::kNone),
            (Words{"Don't", "stop,", "U.S.A\u00a0now!"}));
}

// ---- alignments

MeteorAlignment align(const std::string& hypothesis, const std::string& reference) {
  MeteorAligner aligner({MeteorModule::kExact, MeteorModule::kStem, MeteorModule::kSynonym}, 40,
                        wordnet());
  return aligner.align(split(hypothesis), split(reference));
}

using Matches = std::vector<MeteorMatch>;

TEST(MeteorAligner, ModulesAndChunks) {
  auto alignment = align("blorps automobile fast", "fast blorping car");
  EXPECT_EQ(alignment.matches, (Matches{{2, 0, 0}, {0, 1, 1}, {1, 2, 2}}));
  EXPECT_EQ(alignment.chunks, 2);
}

TEST(MeteorAligner, PrefersFewerChunks) {
  auto alignment = align("the dog saw the cat", "the cat");
  EXPECT_EQ(alignment.matches, (Matches{{3, 0, 0}, {4, 1, 0}}));
  EXPECT_EQ(alignment.chunks, 1);
}

TEST(MeteorAligner, LooseMatchesWithRivalsCountNothing) {
  EXPECT_EQ(align("blorps x", "y blorped").matches.size(), 1U);
  // Two words have the stem of `blorped`, so neither match is definite; taking one would add a
  // chunk and, by METEOR's rounding, no match.
  EXPECT_EQ(align("blorps x blorping", "y blorped").matches, Matches{});
  EXPECT_EQ(align("blorps x blorping z", "blorped z").matches, (Matches{{2, 0, 1}, {3, 1, 0}}));
  // Words that match by stem and as synonyms are rivals of themselves.
  EXPECT_EQ(align("walks x", "y walked").matches, Matches{});
}

TEST(MeteorAligner, EmptySides) {
  EXPECT_EQ(align("", "").matches, Matches{});
  EXPECT_EQ(align("", "a b").chunks, 0);
  EXPECT_EQ(align("a b", "").chunks, 0);
}

TEST(MeteorAligner, LongLinesOfFewWords) {
  std::string line;
  std::string turned;
  for (int i = 0; i < 1000; ++i) {
    std::string word = "w" + std::to_string(i * i % 17) + " ";
    line += word;
    turned = word + turned;
  }
  auto alignment = align(line, turned);
  EXPECT_EQ(alignment.matches.size(), 1000U);
  std::vector<bool> used(1000);
  for (const auto& match : alignment.matches) {
    EXPECT_FALSE(used[match.hypothesis]);
    used[match.hypothesis] = true;
  }
}

std::string repeated(const std::string& word, size_t times) {
  std::string line;
  for (size_t i = 0; i < times; ++i) line += word + " ";
  return line;
}

TEST(MeteorAligner, EqualLinesOfAnyLengthMatchInOneChunk) {
  constexpr size_t kWords = 2500;  // more than are within reach, and than the used ones kept
  std::string numbers;
  for (size_t i = 0; i < kWords; ++i) numbers += std::to_string(i % 700) + " ";
  for (const std::string& line : {repeated("a", kWords), numbers}) {
    auto alignment = align(line, line);
    EXPECT_EQ(alignment.matches.size(), kWords);
    EXPECT_EQ(alignment.chunks, 1);
    // One word more leaves the lines unequal, so that every module has its say.
    auto almost = align(line + "b", line + "c");
    EXPECT_EQ(almost.matches.size(), kWords);
    EXPECT_EQ(almost.chunks, 1);
  }
}

TEST(MeteorAligner, NoWordIsUsedTwiceInLongLines) {
  RandomStream random(1, Purpose::kTest);
  auto line = [&] {
    std::string words;
    for (int i = 0; i < 3000; ++i) words += "w" + std::to_string(random.below(40)) + " ";
    return words;
  };
  auto alignment = align(line(), line());
  EXPECT_GT(alignment.matches.size(), 2500U);
  std::vector<bool> used(3000);
  for (const auto& match : alignment.matches) {
    EXPECT_FALSE(used[match.hypothesis]);
    used[match.hypothesis] = true;
    size_t apart =
        std::max(match.hypothesis, match.reference) - std::min(match.hypothesis, match.reference);
    EXPECT_LE(apart, MeteorAligner::kReach);
  }
}

TEST(MeteorAligner, CostGrowsWithTheLengthOfALineNotFaster) {
  constexpr size_t kBeam = 3;
  MeteorAligner aligner({MeteorModule::kExact}, kBeam, nullptr);
  for (size_t words : {3000, 6000}) {
    auto line = split(repeated("a", words));
    EXPECT_LE(aligner.align(line, line).weighed, words * kBeam * (2 * MeteorAligner::kReach + 1));
  }
}

// ---- scores

TEST(Meteor, IdentityScoresFullMarks) {
  auto metric = make_meteor({}, wordnet());
  Words lines = golden_lines("ref1.txt");
  Rows rows = measure(*metric, lines, {lines});
  EXPECT_NEAR(metric->score(rows.sum()), 1.0, 1e-12);
  for (size_t i = 0; i < rows.lines(); ++i) {
    EXPECT_NEAR(metric->sentence_score(rows.of(i)), 1.0, 1e-12) << lines[i];
  }
}

TEST(Meteor, OrderOfSentencesDoesNotMatter) {
  auto metric = make_meteor({}, wordnet());
  Words hypotheses = golden_lines("hypB.txt");
  Words references = golden_lines("ref1.txt");
  double score = metric->score(measure(*metric, hypotheses, {references}).sum());
  std::reverse(hypotheses.begin(), hypotheses.end());
  std::reverse(references.begin(), references.end());
  EXPECT_DOUBLE_EQ(metric->score(measure(*metric, hypotheses, {references}).sum()), score);
}

TEST(Meteor, ByHand) {
  // 3 of 4 words match, in 2 chunks. Content words are `cat` and `mat` beside the function words
  // `the` and `on`: P = R = (0.75 · 2 + 0.25 · 1) / (0.75 · 2 + 0.25 · 2).
  auto metric = make_meteor({.modules = "exact"}, nullptr);
  double expected = 0.875 * (1.0 - 0.6 * std::pow(2.0 / 3.0, 0.2));
  EXPECT_NEAR(score_of(*metric, "the cat in mat", {"the cat on mat"}), expected, 1e-12);
}

TEST(Meteor, BestReferenceCounts) {
  auto metric = make_meteor({}, wordnet());
  std::string hypothesis = "the black cat sat there";
  double first = score_of(*metric, hypothesis, {"a dog sat down"});
  double second = score_of(*metric, hypothesis, {"the black cat was there"});
  EXPECT_LT(first, second);
  EXPECT_EQ(score_of(*metric, hypothesis, {"a dog sat down", "the black cat was there"}), second);
  EXPECT_EQ(score_of(*metric, hypothesis, {"the black cat was there", "a dog sat down"}), second);
}

TEST(Meteor, FullMatchHasNoChunks) {
  auto metric = make_meteor({.modules = "exact"}, nullptr);
  Rows rows = measure(*metric, {"a b c", "a c b"}, {{"a b c", "a b c"}});
  EXPECT_EQ(rows.of(0)[0], 0.0);
  EXPECT_EQ(rows.of(1)[0], 3.0);
}

TEST(Meteor, EmptySides) {
  auto metric = make_meteor({}, wordnet());
  EXPECT_EQ(score_of(*metric, "", {"a reference"}), 0.0);
  EXPECT_EQ(score_of(*metric, "a hypothesis", {""}), 0.0);
  EXPECT_EQ(score_of(*metric, "", {""}), 0.0);
  EXPECT_EQ(score_of(*metric, "nothing", {"in common"}), 0.0);
  std::vector<double> nothing(metric->row_size());
  EXPECT_EQ(metric->score(nothing), 0.0);
  EXPECT_EQ(metric->details(nothing).find("nan"), std::string::npos);
  // Without weight on function words, sentences of nothing else have length zero.
  auto content_only = make_meteor({.delta = 1.0}, wordnet());
  EXPECT_EQ(score_of(*content_only, "of the", {"of the"}), 0.0);
}

// ---- options

TEST(Meteor, Signature) {
  auto metric = make_meteor({}, wordnet());
  std::map<std::string, std::string> settings;
  for (const auto& [key, value] : metric->settings()) {
    settings[key] = value;
    EXPECT_EQ(value.find_first_of(":|"), std::string::npos) << value;
  }
  EXPECT_EQ(metric->name(), "METEOR");
  EXPECT_EQ(settings["task"], "rank");
  EXPECT_EQ(settings["params"], "0.85_0.2_0.6_0.75");
  EXPECT_EQ(settings["modules"], "exact_stem_synonym");
  EXPECT_EQ(settings["weights"], "1_0.6_0.8");
  EXPECT_EQ(settings["paraphrases"], "no");
  EXPECT_EQ(settings["norm"], "yes");
  EXPECT_EQ(settings["beam"], "40");
}

TEST(Meteor, WrongOptions) {
  for (const char* modules : {"", "exact,", "exact stem", "paraphrase", "exact,exact"}) {
    auto make = [&] { make_meteor({.modules = modules}, wordnet()); };
    expect_contains(message_of<UsageError>(make), "exact, stem and synonym");
  }
  for (const char* weights : {"1", "1,1,1,1", "1,1,x", "1,1,", "1,1,2", "1,1,-1", "1,1,nan"}) {
    EXPECT_THROW(make_meteor({.weights = weights}, wordnet()), UsageError) << weights;
  }
  EXPECT_THROW(make_meteor({}, nullptr), UsageError);
}

}  // namespace
}  // namespace bough
