// Profiles over depth, training curves and the report.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bough/analysis/depth_profile.h"
#include "bough/analysis/report.h"
#include "bough/analysis/training_curves.h"
#include "bough/base/error.h"
#include "bough/base/file.h"
#include "xml_check.h"

namespace bough {
namespace {

/// A chain to the right: word, end, word, end, …, end.
Trace chain(int words, int64_t vocabulary) {
  Trace trace;
  for (int i = 0; i < words; ++i) {
    trace.tree.add_word(kSpecials);
    trace.texts.push_back(fmt::format("w{}", i));
    trace.tree.add_end();
  }
  trace.tree.add_end();
  trace.vocabulary = vocabulary;
  return trace;
}

TEST(DepthProfile, EntropyIsTheMeanOverAllSlotsOfADepth) {
  Trace trace = chain(2, 8);  // slots: root; its left (end) and right; that one's two ends
  for (double entropy : {std::log(8.0), 0.0, std::log(2.0), 0.0, std::log(4.0)}) {
    trace.scores.push_back({.logprob = -1.0, .entropy = entropy});
  }
  std::vector<Trace> traces = {trace, trace, chain(3, 8), chain(1, 0)};  // the last two say nothing
  std::vector<DepthMean> profile = entropy_by_depth(traces);
  ASSERT_EQ(profile.size(), 3U);
  EXPECT_DOUBLE_EQ(profile[0].mean, 1.0);
  EXPECT_DOUBLE_EQ(profile[1].mean, 1.0 / 6.0);  // (0 + 1/3) / 2
  EXPECT_DOUBLE_EQ(profile[2].mean, 1.0 / 3.0);  // (0 + 2/3) / 2
  EXPECT_EQ(profile[2].count, 4);
}

TEST(DepthProfile, DeviationsAreSharesLessTheMarginal) {
  TagsByDepth tags({"NOUN", "VERB", "PUNCT"});
  tags.add(0, 2);
  tags.add(0, 2);
  tags.add(1, 0);
  tags.add(1, 1);
  tags.add(3, 0);
  EXPECT_EQ(tags.total(), 5);
  EXPECT_DOUBLE_EQ(tags.deviation(0, 2), 1.0 - 0.4);
  EXPECT_DOUBLE_EQ(tags.deviation(1, 0), 0.5 - 0.4);
  EXPECT_DOUBLE_EQ(tags.deviation(1, 2), -0.4);
  EXPECT_TRUE(std::isnan(tags.deviation(2, 0)));
  EXPECT_TRUE(std::isnan(tags.deviation(9, 0)));
  EXPECT_EQ(tags.frequent(2), (std::vector<size_t>{0, 2}));
  for (int depth : {0, 1, 3}) {  // what one tag gains the others lose
    double sum = 0.0;
    for (size_t tag = 0; tag < 3; ++tag) sum += tags.deviation(depth, tag);
    EXPECT_NEAR(sum, 0.0, 1e-12);
  }
}

class Curves : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = fs::temp_directory_path() / fmt::format("bough-curves-{}", ::getpid());
  }
  void TearDown() override { fs::remove(path_); }
  fs::path path_;
};

TEST_F(Curves, AreReadByName) {
  write_file(path_,
             "{\"step\":10,\"epoch\":1,\"loss\":3.5,\"beta\":1.0,\"seconds\":4}\n"
             "{\"step\":20,\"epoch\":1,\"train_loss\":3.0,\"bleu\":12.5,\"best\":true}\n"
             "{\"step\":30,\"loss\":2.5,\"beta\":0.5}\n{\"step\":4");  // cut off
  std::vector<Series> curves = read_training_curves(path_.string());
  ASSERT_EQ(curves.size(), 4U);
  EXPECT_EQ(curves[0].name, "loss");
  EXPECT_EQ(curves[0].points, (std::vector<std::pair<double, double>>{{10, 3.5}, {30, 2.5}}));
  EXPECT_EQ(curves[1].name, "beta");
  EXPECT_EQ(curves[3].name, "bleu");
}

TEST_F(Curves, ADamagedLineIsNamed) {
  write_file(path_, "{\"step\":10,\"loss\":3.5}\nnonsense\n{\"step\":30}\n");
  try {
    read_training_curves(path_.string());
    FAIL();
  } catch (const DataError& error) {
    EXPECT_TRUE(std::string(error.what()).find("line 2") != std::string::npos) << error.what();
  }
}

Report example_report() {
  Trace trace = chain(3, 100);
  trace.texts = {"</script><b>", "&", "שלום"};
  for (int step = 0; step < trace.tree.steps(); ++step) {
    trace.scores.push_back(
        {.logprob = -0.7, .entropy = 1.5, .alternatives = {{.logprob = -0.7, .text = "<i>\"'"}}});
  }
  std::vector<Trace> traces = {trace, trace};
  TagsByDepth tags({"NOUN", "VERB"});
  tags.add(0, 1);
  tags.add(1, 0);
  Report report{.title = "A < B & C", .models = {}, .reference = {}};
  for (const char* name : {"left-right", "<annealed>"}) {
    report.models.push_back({.name = name,
                             .facts = {{"oracle", "a & b"}},
                             .samples = {.samples = 2,
                                         .novel_percent = 62.5,
                                         .unique_percent = 50,
                                         .mean_tokens = 4,
                                         .bleu = {0.25, 0.125},
                                         .self_bleu = {}},
                             .trees = measure_trees(traces),
                             .entropy = entropy_by_depth(traces),
                             .tags = tags,
                             .curves = {{"loss", {{1, 2}, {2, 1}}}},
                             .shown = traces});
  }
  report.reference = ReferenceTags{"people", tags};
  return report;
}

size_t count_of(const std::string& text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Report, ShowsAllThatItIsGivenAndNothingFromOutside) {
  std::string html = write_report(example_report());
  EXPECT_EQ(count_of(html, "class=\"tree\""), 4U);
  EXPECT_EQ(count_of(html, "</script>"), 5U) << "a word must not end a script";
  for (const char* part :
       {"A &lt; B &amp; C", "&lt;annealed&gt;", "Entropy by depth", "people", "Words by depth",
        "Training", "62.5", "<td>0.125</td>", "prefers-color-scheme: dark"}) {
    EXPECT_TRUE(html.find(part) != html.npos) << part;
  }
  for (const char* part : {"src=", "href=", "@import", "url(", "fetch("}) {
    EXPECT_EQ(html.find(part), html.npos) << part;
  }
  EXPECT_EQ(html, write_report(example_report()));
  // Every picture by itself is well-formed.
  size_t pictures = 0;
  for (size_t at = html.find("<svg"); at != html.npos; at = html.find("<svg", at + 1)) {
    size_t end = html.find("</svg>", at) + 6;
    EXPECT_EQ(xml_fault(std::string_view(html).substr(at, end - at)), "");
    ++pictures;
  }
  EXPECT_EQ(pictures, 4U + 2U + 3U + 1U);  // trees, depth and entropy, tags, loss
}

TEST(Report, OfBareTraces) {
  Report report{.title = "bare", .models = {}, .reference = {}};
  std::vector<Trace> traces = {chain(1, 0)};
  report.models.push_back({.name = "a",
                           .facts = {},
                           .samples = {},
                           .trees = measure_trees(traces),
                           .entropy = {},
                           .tags = {},
                           .curves = {},
                           .shown = traces});
  std::string html = write_report(report);
  EXPECT_TRUE(html.find("no scores") != html.npos);
  EXPECT_EQ(html.find("Parts of speech"), html.npos);
  EXPECT_EQ(html.find("novel"), html.npos);  // nobody knows
}

/// JSON keeps all that the pictures and profiles need.
TEST(Trace, KeepsItsScores) {
  Trace trace = chain(2, 77);
  trace.text = "W0 w1";
  trace.given = {false, true};
  for (int step = 0; step < trace.tree.steps(); ++step) {
    trace.scores.push_back(
        {.logprob = -0.25 * step,
         .entropy = 0.5 * step,
         .alternatives = {{.logprob = -0.1, .text = "a"}, {.logprob = -2.5, .text = "b"}}});
  }
  trace.scores[1].logprob = -INFINITY;
  Trace back = trace_from_json(nlohmann::json::parse(to_json(trace).dump()));
  EXPECT_EQ(back.vocabulary, 77);
  EXPECT_EQ(back.text, trace.text);
  EXPECT_EQ(back.given, trace.given);
  EXPECT_EQ(back.texts, trace.texts);
  ASSERT_EQ(back.scores.size(), trace.scores.size());
  for (size_t step = 0; step < back.scores.size(); ++step) {
    EXPECT_DOUBLE_EQ(back.scores[step].logprob, trace.scores[step].logprob);
    EXPECT_DOUBLE_EQ(back.scores[step].entropy, trace.scores[step].entropy);
  }
  ASSERT_EQ(back.scores[0].alternatives.size(), 2U);
  EXPECT_EQ(back.scores[0].alternatives[1].text, "b");
  EXPECT_EQ(to_json(back).dump(), to_json(trace).dump());
}

}  // namespace
}  // namespace bough
