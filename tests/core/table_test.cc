// Tables of runs: means and deviations by their definition, and what each format escapes.
#include "bough/analysis/table.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace bough {
namespace {

Table table_of_three(const std::string& first = "a") {
  return {.corner = "run",
          .columns = {{"BLEU", 2}, {"τ", 1}},
          .rows = {{first, "x", {{1.0}, {-0.5}}},
                   {"b", "x", {{2.0}, {}}},
                   {"c", "x", {{4.5}, {0.25, "p < 0.05"}}}},
          .footnotes = {"BLEU|nrefs:1"}};
}

TEST(Tables, DeviationsAreThoseOfASample) {
  EXPECT_FALSE(spread_of(std::vector<double>{3.0}));
  auto spread = spread_of(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});
  ASSERT_TRUE(spread);
  EXPECT_DOUBLE_EQ(spread->mean, 5.0);
  EXPECT_DOUBLE_EQ(spread->deviation, 2.1380899352993950);  // NumPy's std(ddof=1)
  EXPECT_EQ(spread_of(std::vector<double>{0.1, 0.1})->deviation, 0.0);
}

TEST(Tables, RunsOfEachRecipeHaveTheirMean) {
  Table table = table_of_three();
  auto spreads = spreads_of(table);
  ASSERT_EQ(spreads.size(), 1U);
  EXPECT_EQ(spreads[0].name, "mean");
  EXPECT_EQ(spreads[0].runs, 3);
  EXPECT_DOUBLE_EQ(spreads[0].columns[0]->mean, 2.5);
  EXPECT_FALSE(spreads[0].columns[1]);  // one of them has no number
  table.rows[1].recipe = "y";
  spreads = spreads_of(table);
  ASSERT_EQ(spreads.size(), 1U);  // one run has no deviation
  EXPECT_EQ(spreads[0].name, "mean of a … c");
  EXPECT_EQ(spreads[0].runs, 2);
  table.rows[0].name = "out/seed-1";
  table.rows[2].name = "out/seed-2";
  EXPECT_EQ(spreads_of(table)[0].name, "mean of out");
}

TEST(Tables, AreTextForPeople) {
  EXPECT_EQ(render(table_of_three(), TableFormat::kText),
            "run               BLEU         τ\n"
            "a                 1.00         -0.5\n"
            "b                 2.00\n"
            "c                 4.50         0.2 (p < 0.05)\n"
            "mean ± deviation  2.50 ± 1.80\n"
            "\n"
            "BLEU|nrefs:1\n");
}

TEST(Tables, AreCsvAsRfc4180HasIt) {
  EXPECT_EQ(render(table_of_three("a, \"the\nfirst\""), TableFormat::kCsv),
            "run,BLEU,τ,τ note\n"
            "\"a, \"\"the\nfirst\"\"\",1.00,-0.5,\n"
            "b,2.00,,\n"
            "c,4.50,0.2,p < 0.05\n"
            "mean,2.50,,\n"
            "deviation,1.80,,\n");
}

TEST(Tables, AreMarkdownWithEscapedPipes) {
  EXPECT_EQ(render(table_of_three("a|b\\c"), TableFormat::kMarkdown),
            "| run | BLEU | τ |\n"
            "|---|---:|---:|\n"
            "| a\\|b\\\\c | 1.00 | -0.5 |\n"
            "| b | 2.00 |  |\n"
            "| c | 4.50 | 0.2 (p < 0.05) |\n"
            "| mean ± deviation | 2.50 ± 1.80 |  |\n"
            "\n`BLEU|nrefs:1`\n");
}

TEST(Tables, AreLatexWithItsCharactersEscaped) {
  EXPECT_EQ(render(table_of_three("a_b & 50% of $1 #2 {x} ~ ^ \\"), TableFormat::kLatex),
            "% \\usepackage{booktabs}\n"
            "% BLEU|nrefs:1\n"
            "\\begin{tabular}{lrr}\n"
            "\\toprule\n"
            "run & BLEU & τ \\\\\n"
            "\\midrule\n"
            "a\\_b \\& 50\\% of \\$1 \\#2 \\{x\\} \\textasciitilde{} \\textasciicircum{} "
            "\\textbackslash{} & 1.00 & $-0.5$ \\\\\n"
            "b & 2.00 &  \\\\\n"
            "c & 4.50 & 0.2 (p \\textless{} 0.05) \\\\\n"
            "\\midrule\n"
            "mean $\\pm$ deviation & 2.50 $\\pm$ 1.80 &  \\\\\n"
            "\\bottomrule\n"
            "\\end{tabular}\n");
}

TEST(Tables, AreJsonWithoutRounding) {
  auto json = nlohmann::json::parse(render(table_of_three(), TableFormat::kJson));
  ASSERT_EQ(json.size(), 4U);
  EXPECT_EQ(json[2], (nlohmann::json{{"run", "c"}, {"BLEU", 4.5}, {"τ", 0.25}}));
  EXPECT_EQ(json[3].at("run"), "mean");
  EXPECT_EQ(json[3].at("runs"), 3);
  EXPECT_EQ(json[3].at("mean"), (nlohmann::json{{"BLEU", 2.5}}));
  EXPECT_NEAR(json[3].at("deviation").at("BLEU"), 1.8027756377, 1e-9);
}

}  // namespace
}  // namespace bough
