// `bough eval` and `bough eval samples`: the values of reference implementations through the real
// program, its formats, and what it says about bad input.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "golden_metrics.h"
#include "tiny_models.h"

namespace bough {
namespace {

using Json = nlohmann::json;

std::string golden(const std::string& name) {
  return golden_path(name).string();
}

Json eval(const Words& arguments) {
  Outcome outcome = bough(Words{"eval"} + arguments);
  EXPECT_TRUE(fine(outcome));
  return Json::parse(outcome.out);
}

TEST(Eval, OneMetricIsAnObjectInSacreBleusShape) {
  Json report = eval({golden("ref1.txt"), "-i", golden("hypA.txt"), "-m", "bleu"});
  EXPECT_EQ(report.at("name"), "BLEU");
  EXPECT_EQ(report.at("score"), 63.72);
  EXPECT_EQ(report.at("verbose_score"),
            "90.2/74.6/63.3/53.8 (BP = 0.921 ratio = 0.924 hyp_len = 2723 ref_len = 2947)");
  EXPECT_TRUE(has(report.at("signature"), "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:"));
  EXPECT_EQ(report.at("nrefs"), "1");
  EXPECT_EQ(report.at("tok"), "13a");
}

TEST(Eval, EveryMetricGivesItsGoldenValue) {
  Json report = eval({golden("ref1.txt"), golden("ref2.txt"), "-i", golden("hypB.txt"), "-m",
                      "bleu", "chrf", "chrf++", "ter", "ribes", "meteor", "--width", "6"});
  const std::vector<std::pair<std::string, double>> kRaw = {
      {"BLEU", 57.349017}, {"chrF2", 73.541598}, {"chrF2++", 72.743319},
      {"TER", 30.920245},  {"RIBES", 0.858694},  {"METEOR", 0.443307}};
  ASSERT_EQ(report.size(), kRaw.size());
  for (size_t i = 0; i < kRaw.size(); ++i) {
    EXPECT_EQ(report[i].at("name"), kRaw[i].first);
    EXPECT_DOUBLE_EQ(report[i].at("score"), kRaw[i].second);
    EXPECT_EQ(report[i].at("nrefs"), "2");
  }
  EXPECT_EQ(report[5].at("paraphrases"), "no");

  report = eval({golden("ref1.tok.txt"), "-i", golden("hypA.tok.txt"), "-m", "yisi0", "yisi1", "f1",
                 "em", "--yisi-vectors", golden("yisi_vec50_synthetic.txt")});
  const std::vector<double> kWords = {0.792674, 0.751186, 0.848695, 0.18};
  ASSERT_EQ(report.size(), kWords.size());
  for (size_t i = 0; i < kWords.size(); ++i) EXPECT_DOUBLE_EQ(report[i].at("score"), kWords[i]);
}

TEST(Eval, TakesSacreBleusFlags) {
  auto score = [](const Words& flags) {
    return eval(Words{golden("ref1.txt"), "-i", golden("hypA.txt"), "--width", "6"} + flags)
        .at("score")
        .get<double>();
  };
  EXPECT_DOUBLE_EQ(score({"--tokenize", "intl"}), 64.837646);
  EXPECT_DOUBLE_EQ(score({"--tokenize", "char"}), 79.604351);
  EXPECT_DOUBLE_EQ(score({"--tokenize", "none"}), 60.192895);
  EXPECT_DOUBLE_EQ(score({"--smooth-method", "add-k"}), 63.736911);
  Json report = eval({golden("ref1.txt"), "-i", golden("hypA.txt"), "--lowercase",
                      "--effective-order", "--smooth-method", "floor", "--smooth-value", "0.01"});
  EXPECT_TRUE(has(report.at("signature"), "case:lc|eff:yes|tok:13a|smooth:floor[0.01]"));
}

TEST(Eval, ReadsStandardInputAndGzipAndWritesFiles) {
  TempFolder folder;
  std::string hypothesis = read_file(golden("hypA.txt"));
  Outcome piped = bough({"eval", golden("ref1.txt"), "-m", "chrf"}, hypothesis);
  ASSERT_TRUE(fine(piped));
  OutputFile packed((folder.path() / "hyp.gz").string());
  packed.write(hypothesis);
  packed.commit();
  fs::path out = folder.path() / "report.json";
  Outcome written = bough({"eval", golden("ref1.txt"), "-i", folder.path() / "hyp.gz", "-m", "chrf",
                           "-o", out, "--threads", "1"});
  ASSERT_TRUE(fine(written));
  EXPECT_EQ(written.out, "");
  EXPECT_EQ(read_file(out), piped.out);
}

TEST(Eval, TextIsSacreBleusLine) {
  Outcome outcome = bough({"eval", golden("ref1.txt"), "-i", golden("hypA.txt"), "-m", "bleu", "-m",
                           "chrf", "--format", "text"});
  ASSERT_TRUE(fine(outcome));
  Words lines = split_lines(outcome.out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(has(lines[0], "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:"));
  EXPECT_TRUE(has(lines[0], " = 63.72 90.2/74.6/63.3/53.8 (BP = 0.921 "));
  EXPECT_TRUE(lines[1].ends_with(" = 77.31")) << lines[1];
}

TEST(Eval, PairedTestsAreSacreBleus) {
  Json expected = golden_json("sacrebleu_significance.json");
  Json report = eval({golden("ref1.txt"), "-i", golden("hypA.txt"), "--paired", golden("hypB.txt"),
                      "-m", "bleu", "ter", "--seed", "12345", "--trials", "1000", "--quiet"});
  ASSERT_EQ(report.size(), 2U);
  EXPECT_EQ(report[1].at("system"), golden("hypB.txt"));
  for (const char* metric : {"BLEU", "TER"}) {
    for (size_t i = 0; i < 2; ++i) {
      const Json& found = report[i].at(metric);
      EXPECT_NEAR(found.at("mean"), expected["bs_1ref"][metric][i]["mean"], 1e-5);
      EXPECT_NEAR(found.at("ci"), expected["bs_1ref"][metric][i]["ci"], 1e-5);
      EXPECT_EQ(found.at("p_value"), expected["bs_1ref"][metric][i]["p_value"]);
      EXPECT_EQ(found.at("p_value_randomisation"), expected["ar_1ref"][metric][i]["p_value"]);
      EXPECT_TRUE(has(found.at("signature"), "|bs:1000|ar:1000|seed:12345|"));
    }
  }
  Outcome text =
      bough({"eval", golden("ref1.txt"), "-i", golden("hypA.txt"), "--paired", golden("hypB.txt"),
             "--seed", "12345", "--paired-test", "bootstrap", "--format", "text", "--quiet"});
  ASSERT_TRUE(fine(text));
  EXPECT_TRUE(has(text.out, "56.14 (56.07 ± 4.23, bootstrap p = 0.0030*)"));
  EXPECT_FALSE(has(text.out, "randomisation"));
}

TEST(Eval, ASystemBesideItselfIsIdenticalAndNotSignificant) {
  Words call = {golden("ref1.txt"),
                "-i",
                golden("hypA.txt"),
                "--paired",
                golden("hypA.txt"),
                "--paired",
                golden("hypB.txt"),
                "--trials",
                "100",
                "--resamples",
                "100",
                "--quiet"};
  Json report = eval(call);
  ASSERT_EQ(report.size(), 3U);
  EXPECT_FALSE(report[0].contains("identical"));
  EXPECT_EQ(report[1].at("identical"), true);
  EXPECT_EQ(report[1].at("BLEU").at("p_value"), 1.0);
  EXPECT_EQ(report[1].at("BLEU").at("p_value_randomisation"), 1.0);
  EXPECT_FALSE(report[2].contains("identical"));
  EXPECT_LT(report[2].at("BLEU").at("p_value"), 0.05);

  Outcome text = bough(Words{"eval"} + call + Words{"--format", "text"});
  ASSERT_TRUE(fine(text));
  Words lines = split_lines(text.out);
  EXPECT_TRUE(has(lines.at(2), "identical"));
  EXPECT_FALSE(has(lines.at(2), "p ="));
  EXPECT_FALSE(has(lines.at(3), "identical"));
  EXPECT_TRUE(has(lines.at(3), "p ="));
}

TEST(Eval, SystemsSideBySideAndConfidence) {
  Json report =
      eval({golden("ref1.txt"), "-i", golden("hypA.txt"), "-i", golden("hypB.txt"), "--confidence",
            "--resamples", "200", "--seed", "3", "-m", "em", "edit", "--quiet"});
  ASSERT_EQ(report.size(), 3U);  // and their mean
  for (size_t i = 0; i < 2; ++i) {
    for (const char* metric : {"EM", "Edit"}) {
      const Json& found = report[i].at(metric);
      EXPECT_TRUE(found.at("p_value").is_null());
      EXPECT_NEAR(found.at("mean"), found.at("score"), found.at("ci"));
    }
  }
  Json one = eval(
      {golden("ref1.txt"), "-i", golden("hypA.txt"), "--confidence", "--seed", "12345", "--quiet"});
  EXPECT_EQ(one.at("confidence"), "μ = 63.62 ± 3.60");
}

/// Three runs of one system.
Words three_runs() {
  return {"eval", golden("ref1.txt"),
          "-i",   golden("hypA.txt"),
          "-i",   golden("hypB.txt"),
          "-i",   golden("ref2.txt"),
          "-m",   "bleu",
          "edit"};
}

TEST(Eval, RunsHaveAMeanAndASampleDeviation) {
  Outcome outcome = bough(three_runs());
  ASSERT_TRUE(fine(outcome));
  Json report = Json::parse(outcome.out);
  ASSERT_EQ(report.size(), 4U);
  EXPECT_EQ(report[3].at("system"), "mean");
  EXPECT_EQ(report[3].at("runs"), 3);
  for (const char* metric : {"BLEU", "Edit"}) {
    double mean = 0;
    for (size_t i = 0; i < 3; ++i) mean += report[i].at(metric).at("score").get<double>() / 3;
    double squares = 0;
    for (size_t i = 0; i < 3; ++i) {
      squares += std::pow(report[i].at(metric).at("score").get<double>() - mean, 2);
    }
    EXPECT_NEAR(report[3].at("mean").at(metric), mean, 1e-9);
    EXPECT_NEAR(report[3].at("deviation").at(metric), std::sqrt(squares / 2), 1e-9);
  }
  // Systems that are tested against each other are no runs of one.
  Json paired = eval({golden("ref1.txt"), "-i", golden("hypA.txt"), "--paired", golden("hypB.txt"),
                      "--resamples", "10", "--trials", "10", "--quiet"});
  EXPECT_EQ(paired.size(), 2U);
}

TEST(Eval, TablesSayTheSameInEveryFormat) {
  Json mean = Json::parse(bough(three_runs()).out).back();
  std::string bleu = fmt::format("{:.2f}", mean.at("mean").at("BLEU").get<double>());
  std::string deviation = fmt::format("{:.2f}", mean.at("deviation").at("BLEU").get<double>());
  auto table = [&](const std::string& format) {
    Outcome outcome = bough(three_runs() + Words{"--format", format});
    EXPECT_TRUE(fine(outcome));
    return split_lines(outcome.out);
  };
  Words text = table("text");
  ASSERT_EQ(text.size(), 8U);  // a heading, three runs, their mean, signatures below an empty line
  EXPECT_TRUE(text[1].starts_with(golden("hypA.txt") + "  63.72 "));
  EXPECT_TRUE(has(text[4], bleu + " ± " + deviation));
  EXPECT_TRUE(text[6].starts_with("BLEU|nrefs:1"));
  Words csv = table("csv");
  ASSERT_EQ(csv.size(), 6U);
  EXPECT_EQ(csv[0], "system,BLEU,Edit");
  EXPECT_TRUE(csv[4].starts_with("mean," + bleu + ","));
  EXPECT_TRUE(csv[5].starts_with("deviation," + deviation + ","));
  Words markdown = table("markdown");
  EXPECT_EQ(markdown.at(0), "| system | BLEU | Edit |");
  EXPECT_EQ(markdown.at(1), "|---|---:|---:|");
  EXPECT_TRUE(markdown.at(5).starts_with("| mean ± deviation | " + bleu + " ± " + deviation));
  Words latex = table("latex");
  EXPECT_EQ(latex.at(0), "% \\usepackage{booktabs}");
  EXPECT_TRUE(std::find(latex.begin(), latex.end(), "\\toprule") != latex.end());
  EXPECT_TRUE(has(joined(latex), "mean $\\pm$ deviation & " + bleu + " $\\pm$ " + deviation));
  // One system is a table in these formats only.
  Words one = {"eval", golden("ref1.txt"), "-i", golden("hypA.txt"), "--format"};
  Outcome row = bough(one + Words{"csv"});
  EXPECT_EQ(row.out, "system,BLEU\n" + golden("hypA.txt") + ",63.72\n");
  expect_refused({{one + Words{"csv", "--sentence-level"}, 2, {"--sentence-level", "json"}}});
}

TEST(Eval, SentencesAreScoredOneByOne) {
  Json expected = golden_json("sacrebleu_sentence_bleu.json")[0];
  Outcome outcome = bough({"eval", golden("ref1.txt"), "-i", golden("hypA.txt"), "-m", "bleu",
                           "ter", "--sentence-level", "--width", "9"});
  ASSERT_TRUE(fine(outcome));
  std::vector<Json> lines = json_lines(split_lines(outcome.out));
  ASSERT_EQ(lines.size(), 300U);
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].at("line"), i + 1);
    EXPECT_NEAR(lines[i].at("BLEU"), expected["scores"][i], 1e-8);
    EXPECT_GE(lines[i].at("TER"), 0.0);
  }
  Outcome text = bough({"eval", golden("ref1.txt"), "-i", golden("hypA.txt"), "-i",
                        golden("hypB.txt"), "-m", "bleu", "--sentence-level", "--format", "text"});
  ASSERT_TRUE(fine(text));
  EXPECT_EQ(split_lines(text.out).size(), 601U);
  EXPECT_EQ(split_lines(text.out)[0], "system\tline\tBLEU");
  EXPECT_EQ(split_lines(text.out)[1], golden("hypA.txt") + "\t1\t55.78");
}

TEST(Eval, BadInputIsRefused) {
  TempFolder folder;
  auto file = [&](const char* name, const std::string& content) {
    put(folder.path() / name, content);
    return (folder.path() / name).string();
  };
  std::string two = file("two", "a\nb\n");
  std::string three = file("three", "a\nb\nc\n");
  std::string none = file("none", "");
  std::string bad = file("bad", "a\n\xff\xfe\n");
  std::string vectors = file("vectors", "2 3\na 1 2 3\nb 1 2\n");
  fs::create_directory(folder.path() / "wordnet");
  expect_refused({
      {{"eval"}, 2, {"reference"}},
      {{"eval", two, "-i", three}, 3, {"'" + three + "' has 3 lines", "'" + two + "' has 2"}},
      {{"eval", two, three, "-i", two}, 3, {"has 3 lines", "has 2"}},
      {{"eval", two, "-i", two, "--paired", three}, 3, {"has 3 lines", "has 2"}},
      {{"eval", none, "-i", none}, 3, {"no lines"}},
      {{"eval", bad, "-i", two}, 3, {"line 2", "UTF-8"}},
      {{"eval", two, "-i", folder.path() / "missing"}, 3, {"missing"}},
      {{"eval", two, "-i", two, "-m", "blue"}, 2, {"bleu"}},
      {{"eval", two, "-i", two, "--tokenise", "13a"}, 2, {"--tokenize"}},
      {{"eval", two, "-i", two, "-m", "yisi1"}, 2, {"--yisi-vectors", "yisi0"}},
      {{"eval", two, "-i", two, "-m", "yisi1", "--yisi-vectors", vectors}, 3, {"line 3", "'b'"}},
      {{"eval", two, "-i", two, "-m", "meteor", "--wordnet", folder.path() / "wordnet"},
       3,
       {"index.noun", "wordnet-base"}},
      {{"eval", two, "-i", two, "-m", "meteor", "--meteor-modules", "exact,sound"},
       2,
       {"exact, stem and synonym"}},
      {{"eval", two, "-i", "-", "--paired", "-"}, 2, {"standard input"}},
  });
}

// ---- samples

TEST(EvalSamples, SeveralFilesAreRunsOfOneRecipe) {
  Words call = {"eval", "samples", "--reference", golden("uncond_ref.txt")};
  auto run = [&](const Words& more) {
    Outcome outcome = bough(call + more);
    EXPECT_TRUE(fine(outcome));
    return Json::parse(outcome.out);
  };
  std::string hyp = golden("uncond_hyp.txt");
  std::string ref = golden("uncond_ref.txt");
  Json both = run({"--samples", hyp, "--samples", ref});
  Json one = run({"--samples", hyp});
  Json other = run({"--samples", ref});
  ASSERT_EQ(both.size(), 3U);
  EXPECT_EQ(both[0].at("name"), hyp);
  EXPECT_EQ(both[0].at("bleu-4"), one.at("bleu-4"));
  EXPECT_EQ(both[2].at("runs"), 2);
  double first = one.at("bleu-4");
  double second = other.at("bleu-4");
  EXPECT_NEAR(both[2].at("mean").at("bleu-4"), (first + second) / 2, 1e-12);
  EXPECT_NEAR(both[2].at("deviation").at("bleu-4"), std::abs(first - second) / std::sqrt(2), 1e-12);
}

TEST(EvalSamples, GivesThePapersProgramsValues) {
  Outcome outcome = bough({"eval", "samples", "--samples", golden("uncond_hyp.txt"), "--reference",
                           golden("uncond_ref.txt"), "--train", golden("uncond_ref.txt")});
  ASSERT_TRUE(fine(outcome));
  Json report = Json::parse(outcome.out);
  Json expected = golden_json("uncond_bleu.json");
  for (const char* name : {"bleu-2", "bleu-3", "bleu-4", "bleu-5", "self-bleu-2", "self-bleu-3",
                           "self-bleu-4", "self-bleu-5"}) {
    EXPECT_NEAR(report.at(name), expected.at(name), 1e-12) << name;
  }
  EXPECT_EQ(report.at("samples"), 60);
  EXPECT_GT(report.at("novel"), 0);
  EXPECT_LT(report.at("novel"), 100);
  EXPECT_FALSE(report.contains("mean_span"));
}

TEST(EvalSamples, TracesHaveSpansAndTheSameSentences) {
  TempFolder folder;
  fs::path traces = folder.path() / "samples.jsonl";
  fs::path texts = folder.path() / "samples.txt";
  Words generate = {"generate", "--model", oracle_model("uniform"), "-n", "50", "--quiet"};
  ASSERT_TRUE(fine(bough(generate + Words{"--format", "jsonl", "-o", traces})));
  ASSERT_TRUE(fine(bough(generate + Words{"-o", texts})));
  fs::path corpus = TinyModels::shared().corpus();
  auto measure = [&](const fs::path& samples) {
    Outcome outcome =
        bough({"eval", "samples", "--samples", samples, "--train", corpus, "--reference", corpus});
    EXPECT_TRUE(fine(outcome));
    return Json::parse(outcome.out);
  };
  Json of_traces = measure(traces);
  double parents = 0;
  double children = 0;
  for (const Json& trace : json_lines(split_lines(read_file(traces)))) {
    std::set<int> with_children;
    for (const Json& node : trace.at("nodes")) {
      if (node.at("parent").is_null()) continue;
      with_children.insert(node.at("parent").get<int>());
      ++children;
    }
    parents += static_cast<double>(with_children.size());
  }
  EXPECT_DOUBLE_EQ(of_traces.at("mean_span"), children / parents);
  of_traces.erase("mean_span");
  EXPECT_EQ(of_traces, measure(texts));
}

TEST(EvalSamples, BadInputIsRefused) {
  TempFolder folder;
  put(folder.path() / "none", "");
  put(folder.path() / "bad.jsonl", "{\"text\": \"a b\"}\n");
  put(folder.path() / "worse.jsonl", "a b\n");
  put(folder.path() / "good", "a b\n");
  expect_refused({
      {{"eval", "samples"}, 2, {"--samples"}},
      {{"eval", "samples", "--samples", folder.path() / "none"}, 3, {"no samples"}},
      {{"eval", "samples", "--samples", folder.path() / "bad.jsonl"}, 3, {"line 1", "trace"}},
      {{"eval", "samples", "--samples", folder.path() / "worse.jsonl"}, 3, {"line 1", "JSON"}},
      {{"eval", "samples", "--samples", folder.path() / "good", "--train", folder.path() / "none"},
       3,
       {"no sentences"}},
  });
}

}  // namespace
}  // namespace bough
