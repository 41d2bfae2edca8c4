// `bough complete`: templates, seed trees, words that must and mustn't appear.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "tiny_models.h"

namespace bough {
namespace {

Words complete(const std::string& templates, const Words& more = {}) {
  Outcome outcome =
      bough(Words{"complete", "--model", oracle_model("uniform"), "--quiet"} + more, templates);
  EXPECT_TRUE(fine(outcome));
  return split_lines(outcome.out);
}

TEST(Complete, KeepsWhatIsGiven) {
  Words lines = complete(
      "the old ___ door .\n"
      "\n"
      "___ bread ___\n"
      "we <blank:2> zebra <blank:1-3>\n"
      "a cat hides\n");
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_TRUE(lines[0].starts_with("the old ")) << lines[0];
  EXPECT_TRUE(lines[0].ends_with(" door .")) << lines[0];
  EXPECT_EQ(lines[1], "");
  EXPECT_TRUE(has(" " + lines[2] + " ", " bread "));
  std::istringstream words(lines[3]);
  Words split;
  for (std::string word; words >> word;) split.push_back(word);
  ASSERT_GE(split.size(), 5U);
  EXPECT_LE(split.size(), 7U);
  EXPECT_EQ(split[0], "we");
  EXPECT_EQ(split[3], "zebra");
  EXPECT_EQ(lines[4], "a cat hides");
}

TEST(Complete, SeedTreesKeepTheirShape) {
  Words lines = complete(
      "{\"token\": \"sings\", \"left\": {\"token\": \"bird\"}, \"right\": {\"token\": \".\", "
      "\"right\": \"<end>\"}}\n",
      {"--format", "jsonl", "-n", "5"});
  ASSERT_EQ(lines.size(), 5U);
  for (const auto& trace : json_lines(lines)) {
    EXPECT_EQ(trace["nodes"][0]["token"], "sings");
    EXPECT_EQ(trace["nodes"][0]["given"], true);
    EXPECT_EQ(trace["nodes"][1]["token"], "bird");
    EXPECT_EQ(trace["nodes"][2]["token"], ".");
    EXPECT_EQ(trace["tokens"].back(), ".");
    size_t given = 0;
    for (const auto& node : trace["nodes"]) given += node.contains("given") ? 1 : 0;
    EXPECT_EQ(given, 3U);
  }
}

TEST(Complete, WordsMustAndMustNotAppear) {
  Words call = {"--must", "horses, the bed", "--avoid", "farmer, a", "-n", "20"};
  for (const std::string& line : complete("", call)) {
    size_t horses = (" " + line + " ").find(" horses ");
    size_t bed = (" " + line + " ").find(" the bed ");
    EXPECT_NE(bed, std::string::npos) << line;
    EXPECT_LT(horses, bed) << line;
    EXPECT_FALSE(has(" " + line + " ", " farmer ")) << line;
    EXPECT_FALSE(has(" " + line + " ", " a ")) << line;
  }
  for (const std::string& line : complete("", call + Words{"--any-order", "--length", "7"})) {
    EXPECT_TRUE(has(" " + line + " ", " horses "));
    EXPECT_TRUE(has(" " + line + " ", " the bed "));
    EXPECT_EQ(std::count(line.begin(), line.end(), ' '), 6);
  }
}

TEST(Complete, PhrasesMustNotAppear) {
  Words call = {"--must", "dog", "-n", "200", "--min-length", "4"};
  auto count = [&](const Words& more) {
    int64_t having = 0;
    for (const std::string& line : complete("", call + more)) {
      having += has(" " + line + " ", " the dog ") ? 1 : 0;
    }
    return having;
  };
  EXPECT_GT(count({}), 0);
  EXPECT_EQ(count({"--avoid", "the dog"}), 0);
  for (const std::string& line : complete("", Words{"--must", "the, dog", "--avoid", "the dog"})) {
    EXPECT_TRUE(has(" " + line, " the ")) << line;  // the word alone may
  }
  EXPECT_EQ(count({"--avoid", "the dog", "--beam-size", "3"}), 0);
}

/// A template with what it demands: given phrases, and gaps before, between and behind them.
struct RandomTemplate {
  std::string line;
  std::vector<Words> phrases;
  std::vector<std::pair<size_t, size_t>> gaps;  // one more than phrases; their bounds
};

RandomTemplate random_template(std::mt19937& random) {
  static const Words kWords = {"the", "a", "dog", "zebra", "in", "sings", ".", "we", "bed"};
  auto below = [&](size_t bound) { return random() % bound; };
  RandomTemplate made;
  auto add_gap = [&] {
    size_t low = below(3);
    size_t high = low + below(3);
    switch (below(4)) {
      case 0:
        made.line += "___ ";
        made.gaps.emplace_back(0, 1000);
        return;
      case 1:
        made.line += "<blank:" + std::to_string(low) + "-> ";
        made.gaps.emplace_back(low, 1000);
        return;
      case 2:
        made.line += "<blank:" + std::to_string(low) + "-" + std::to_string(high) + "> ";
        made.gaps.emplace_back(low, high);
        return;
      default:
        made.gaps.emplace_back(0, 0);
    }
  };
  add_gap();
  for (size_t count = 1 + below(3); made.phrases.size() < count;) {
    Words& phrase = made.phrases.emplace_back();
    for (size_t words = 1 + below(2); phrase.size() < words;) {
      phrase.push_back(kWords[below(kWords.size())]);
      made.line += phrase.back() + " ";
    }
    add_gap();
  }
  made.line += "\n";
  return made;
}

/// Whether words [from, …) can be parted as the template from its gap `gap` on says.
bool fits(const RandomTemplate& made, const Words& words, size_t gap = 0, size_t from = 0) {
  auto [low, high] = made.gaps[gap];
  size_t left = words.size() - from;
  if (gap == made.phrases.size()) return low <= left && left <= high;
  const Words& phrase = made.phrases[gap];
  for (size_t length = low; length <= high && length + phrase.size() <= left; ++length) {
    auto begin = words.begin() + static_cast<std::ptrdiff_t>(from + length);
    if (std::equal(phrase.begin(), phrase.end(), begin) &&
        fits(made, words, gap + 1, from + length + phrase.size())) {
      return true;
    }
  }
  return false;
}

TEST(Complete, KeepsAThousandRandomTemplatesInEveryWayOfWriting) {
  std::mt19937 random(1);
  std::vector<RandomTemplate> made;
  std::string input;
  for (int i = 0; i < 1000; ++i) {
    made.push_back(random_template(random));
    input += made.back().line;
  }
  for (const Words& how : {Words{}, Words{"--decode", "greedy", "--seed-shape", "balanced"},
                           Words{"--beam-size", "3"}, Words{"--mbr", "3"}}) {
    Words lines = complete(input, how + Words{"--avoid", "moon, farmer", "--max-length", "25"});
    ASSERT_EQ(lines.size(), made.size());
    for (size_t i = 0; i < lines.size(); ++i) {
      Words words;
      std::istringstream stream(lines[i]);
      for (std::string word; stream >> word;) words.push_back(word);
      EXPECT_TRUE(fits(made[i], words)) << made[i].line << lines[i];
      EXPECT_LE(words.size(), 25U);
      EXPECT_EQ(std::count(words.begin(), words.end(), "moon"), 0);
      EXPECT_EQ(std::count(words.begin(), words.end(), "farmer"), 0);
    }
  }
}

TEST(Complete, SearchesAndVotes) {
  Words beam = {"--beam-size", "6", "--format", "jsonl", "--nbest", "4"};
  Words lines = complete("the ___ .\n", beam);
  ASSERT_EQ(lines.size(), 4U);
  double last = 0;
  std::set<std::string> texts;
  for (const auto& trace : json_lines(lines)) {
    EXPECT_LE(trace.at("score"), last);
    last = trace.at("score");
    EXPECT_TRUE(texts.insert(trace.at("text")).second);
    // The scores of its steps are there, and add up.
    EXPECT_LT(trace.at("logprob"), 0.0);
    EXPECT_LE(trace.at("nodes")[0].at("logprob"), 0.0);
  }
  EXPECT_EQ(complete("the ___ .\n", {"--beam-size", "6", "-n", "4"}).size(), 4U);
  EXPECT_EQ(complete("the ___ .\n", {"--mbr", "5", "-n", "3"}).size(), 3U);
  Words votes = complete("the ___ .\n", {"--mbr", "9", "--nbest", "3", "--format", "jsonl"});
  ASSERT_GE(votes.size(), 2U);
  EXPECT_GE(nlohmann::json::parse(votes[0]).at("score"),
            nlohmann::json::parse(votes[1]).at("score"));
}

TEST(Complete, TheBestDistinctOnesComeFirst) {
  Words lines = complete("the ___ .\n", {"--nbest", "5", "--format", "jsonl"});
  std::set<std::string> texts;
  double last = 0;
  for (const auto& trace : json_lines(lines)) {
    EXPECT_TRUE(texts.insert(trace.at("text")).second);
    EXPECT_LE(trace.at("score"), last);
    last = trace.at("score");
  }
  EXPECT_LE(lines.size(), 5U);
  EXPECT_GE(lines.size(), 2U);
  Words one = complete("\na b\n", {"--nbest", "5"});
  ASSERT_EQ(one.size(), 2U);
  EXPECT_EQ(one[0], "");
  EXPECT_TRUE(one[1].starts_with("1 ||| a b ||| F0= ")) << one[1];
}

TEST(Complete, TheSameSeedGivesTheSameWhateverTheBatch) {
  std::string templates = "the ___\n___ .\nshe ___ letter ___\n";
  EXPECT_TRUE(
      same_output(complete(templates, {"-n", "7", "--batch-size", "4"}),
                  complete(templates, {"-n", "7", "--batch-size", "64", "--threads", "2"})));
}

TEST(Complete, WhatCannotBeMetIsSaid) {
  TempFolder folder;
  auto file = [&](const char* name, const std::string& content) {
    put(folder.path() / name, content);
    return (folder.path() / name).string();
  };
  std::string model = oracle_model("uniform");
  expect_refused({
      {{"complete", "--model", model, "-i", file("long", "a\nthe old dog ___\n"), "--max-length",
        "2"},
       4,
       {"line 2", "3 words", "2 allowed"}},
      {{"complete", "--model", model, "--must", "dog", "--avoid", "dog"}, 4, {"'dog'"}},
      {{"complete", "--model", model, "-i", file("bad", "___\n<blank:x>\n")},
       3,
       {"line 2", "<blank:x>"}},
      {{"complete", "--model", model, "-i", file("tree", "{\"token\": \"a b\"}\n")},
       3,
       {"2 words"}},
      {{"complete", "--model", model, "-i", file("json", "{\"token\"\n")}, 3, {"line 1", "JSON"}},
      {{"complete", "--model", model, "--any-order"}, 2, {"--must"}},
      {{"complete", "--model", model, "--must", "a", "-i", "x"}, 2, {"--must", "--input"}},
      {{"complete", "--model", model, "--min-length", "9", "--max-length", "3"}, 2, {"9", "3"}},
  });
  Words lines = complete("the old dog ___\n___\n", {"--max-length", "2", "--format", "jsonl"});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(nlohmann::json::parse(lines[0]).contains("error"));
  EXPECT_TRUE(nlohmann::json::parse(lines[1]).contains("text"));
}

TEST(EvalCompletion, KeepsThreeWordsOfEachSentence) {
  TempFolder folder;
  fs::path corpus = TinyModels::shared().corpus();
  fs::path out = folder.path() / "completions";
  Outcome outcome = bough({"eval", "completion", "--model", oracle_model("uniform"), "--valid",
                           corpus, "--completions", out, "--quiet"});
  ASSERT_TRUE(fine(outcome));
  nlohmann::json report = nlohmann::json::parse(outcome.out);
  Words lines = split_lines(read_file(out));
  ASSERT_EQ(lines.size(), tiny_sentences().size());
  EXPECT_EQ(report.at("completions"), lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    std::set<std::string> words;
    std::istringstream stream(tiny_sentences()[i]);
    for (std::string word; stream >> word;) words.insert(word);
    int common = 0;
    std::istringstream completed(lines[i]);
    for (std::string word; completed >> word;) common += words.contains(word) ? 1 : 0;
    EXPECT_GE(common, 3) << lines[i];
  }
  // BLEU is that of `bough eval samples`.
  Outcome samples = bough({"eval", "samples", "--samples", out, "--reference", corpus});
  ASSERT_TRUE(fine(samples));
  EXPECT_EQ(nlohmann::json::parse(samples.out).at("bleu-4"), report.at("bleu-4"));
}

}  // namespace
}  // namespace bough
