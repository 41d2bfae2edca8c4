// Pictures of trees and charts: well-formed whatever the words, complete, and the same each time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bough/analysis/chart.h"
#include "bough/analysis/svg.h"
#include "bough/analysis/tree_picture.h"
#include "bough/base/random.h"
#include "xml_check.h"

namespace bough {
namespace {

size_t count_of(const std::string& text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// how are you ? as in the paper's figure, with scores.
Trace example(const std::vector<std::string>& words = {"how", "are", "you", "?"}) {
  std::vector<int> positions = {1, 0, 3, 2};
  std::vector<WordId> ids(4, kSpecials);
  Trace trace{.tree = Tree::from_positions(ids, positions), .texts = {}, .scores = {}};
  for (int position : positions) trace.texts.push_back(words[static_cast<size_t>(position)]);
  for (int step = 0; step < trace.tree.steps(); ++step) {
    trace.scores.push_back({.logprob = -0.5 * step, .entropy = 0.3 * step});
  }
  return trace;
}

TEST(Xml, TheCheckItselfFindsFaults) {
  EXPECT_EQ(xml_fault("<a b=\"c\"><d/>x &amp; y</a>\n"), "");
  for (const char* bad : {"<a>", "<a></b>", "<a b=c/>", "<a b=\"1\" b=\"2\"/>", "<a>&x;</a>",
                          "<a/><b/>", "<a>\"<</a>", "", "x"}) {
    EXPECT_NE(xml_fault(bad), "") << bad;
  }
}

TEST(Svg, TextIsEscaped) {
  EXPECT_EQ(escape_xml("a<b & \"c'>"), "a&lt;b &amp; &quot;c&#39;&gt;");
  EXPECT_EQ(escape_xml(std::string("\x01x\xff", 3)), "\uFFFDx\uFFFD");
  EXPECT_EQ(escape_xml("שלום 你好"), "שלום 你好");
  EXPECT_EQ(svg_number(1.50), "1.5");
  EXPECT_EQ(svg_number(-0.001), "0");
  EXPECT_EQ(svg_number(12), "12");
  EXPECT_EQ(svg_number(100), "100");
}

TEST(TreePicture, HasEveryWordWithItsTwoNumbers) {
  std::string svg = draw_svg(example());
  EXPECT_EQ(xml_fault(svg), "") << svg;
  EXPECT_EQ(count_of(svg, "class=\"word\""), 4U);
  EXPECT_EQ(count_of(svg, "class=\"edge\""), 3U);
  for (const char* part : {">how</text>", ">are</text>", ">you</text>", ">?</text>",
                           "are: written as word 1, stands at place 2; probability 1,",
                           "data-step=\"5\"", "Tree of: how are you ?"}) {
    EXPECT_TRUE(svg.find(part) != svg.npos) << part << "\n" << svg;
  }
  EXPECT_EQ(svg, draw_svg(example()));
  EXPECT_NE(svg, draw_svg(example(), NodeColour::kEntropy));
  Trace given = example();
  given.given = {true, false, false, false};
  EXPECT_TRUE(draw_svg(given).find("; given") != std::string::npos);
}

TEST(TreePicture, AnyWordIsSafe) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"<b>", "&amp;", "\"'", "]]>"},
        std::vector<std::string>{"שלום", "مرحبا", "你好", "e\u0301"},
        std::vector<std::string>{"", " ", "\n", std::string(200, 'x')}}) {
    EXPECT_EQ(xml_fault(draw_svg(example(words))), "");
    std::string dot = draw_dot(example(words));
    EXPECT_EQ(count_of(dot, "->"), 4U) << dot;  // three edges, one invisible
  }
  std::string dot = draw_dot(example({"a\"b", "c\\d", "e", "f"}));
  EXPECT_TRUE(dot.find("label=\"a\\\"b\"") != dot.npos) << dot;
  EXPECT_TRUE(dot.find("label=\"c\\\\d\"") != dot.npos) << dot;
}

/// No two boxes overlap, at any size of tree.
TEST(TreePicture, WordsHaveTheirOwnColumns) {
  RandomStream random(2, Purpose::kTest);
  for (int words : {1, 7, 40}) {
    Trace trace;
    while (!trace.tree.complete()) {
      if (trace.tree.word_count() < words &&
          (trace.tree.open_slots() == 1 || random.uniform() < 0.5)) {
        trace.tree.add_word(kSpecials);
        trace.texts.push_back(std::string(1 + random.below(12), 'w'));
      } else {
        trace.tree.add_end();
      }
    }
    ASSERT_EQ(trace.tree.word_count(), words);
    std::string svg = draw_svg(trace);
    ASSERT_EQ(xml_fault(svg), "");
    std::vector<std::pair<double, double>> boxes;  // left and right, of the words' backgrounds
    for (size_t at = svg.find("<rect"); at != svg.npos; at = svg.find("<rect", at + 1)) {
      std::string element = svg.substr(at, svg.find("/>", at) - at);
      if (element.find("--paper") == element.npos) continue;
      double left = std::stod(element.substr(element.find(" x=\"") + 4));
      boxes.emplace_back(left, left + std::stod(element.substr(element.find("width=\"") + 7)));
    }
    ASSERT_EQ(static_cast<int>(boxes.size()), words);
    std::sort(boxes.begin(), boxes.end());
    for (size_t i = 1; i < boxes.size(); ++i) EXPECT_GT(boxes[i].first, boxes[i - 1].second);
  }
}

TEST(Chart, TicksAreRoundAndCoverTheRange) {
  for (auto [low, high] :
       {std::pair{0.0, 1.0}, {0.0, 0.37}, {-3.2, 8.9}, {1000.0, 123456.0}, {0.001, 0.0013}}) {
    std::vector<double> ticks = round_ticks(low, high, 5);
    EXPECT_LE(ticks.front(), low + 1e-9);
    EXPECT_GE(ticks.back(), high - 1e-9);
    EXPECT_GE(ticks.size(), 2U);
    EXPECT_LE(ticks.size(), 13U);
  }
}

TEST(Chart, DrawsWhatItIsGiven) {
  LineChart lines{
      .title = "Loss < 1 & more",
      .x_label = "updates",
      .y_label = "loss",
      .series = {{"first", {{0, 3}, {10, 2}, {20, NAN}, {30, 1}}}, {"second", {{5, 4}}}}};
  std::string svg = draw_chart(lines);
  EXPECT_EQ(xml_fault(svg), "") << svg;
  EXPECT_EQ(count_of(svg, "class=\"series\""), 2U);
  EXPECT_EQ(count_of(svg, "<circle"), 4U);  // none for a number that isn't there
  EXPECT_EQ(svg.find("nan"), svg.npos);
  EXPECT_EQ(xml_fault(draw_chart(LineChart{})), "");

  BarChart bars{.title = "depths",
                .x_label = "depth",
                .y_label = "share",
                .categories = {"0", "1", "2"},
                .series = {{"a", {{0, 0.5}, {1, 0.25}, {2, 0.25}}}, {"b", {{0, 1}}}}};
  svg = draw_chart(bars);
  EXPECT_EQ(xml_fault(svg), "") << svg;
  EXPECT_EQ(count_of(svg, "class=\"bar\""), 4U);

  HeatMap map{.title = "tags",
              .row_label = "depth",
              .rows = {"0", "1"},
              .columns = {"NOUN", "VERB"},
              .cells = {{0.25, -0.25}, {NAN, 0.0}}};
  svg = draw_chart(map);
  EXPECT_EQ(xml_fault(svg), "") << svg;
  EXPECT_EQ(count_of(svg, "class=\"cell\""), 3U);
  EXPECT_TRUE(svg.find("+0.25") != svg.npos);
}

/// A small value that doesn't change is in the middle of an axis of its own size.
TEST(Chart, AConstantHasAFittingAxis) {
  for (double value : {0.003, 1e-7, 5.0, -40.0, 0.0}) {
    std::string drawn =
        draw_chart(LineChart{.title = "rate",
                             .x_label = "updates",
                             .y_label = "",
                             .series = {{"rate", {{0.0, value}, {50.0, value}, {100.0, value}}}},
                             .from_zero = false});
    std::string tick = value == 0.0 ? ">0<" : fmt::format(">{:.4g}<", 2.0 * value);
    EXPECT_NE(drawn.find(tick), std::string::npos) << value << drawn;
    EXPECT_EQ(drawn.find(">0.6<") == std::string::npos, value != 0.0) << value;
  }
}

}  // namespace
}  // namespace bough
