// --shard: parts, one behind the other, are the whole; rows of parts are scored together.
#include "tiny_models.h"

namespace bough {
namespace {

/// What the parts of a command write, one behind the other.
std::string in_parts(const Words& call, int parts) {
  std::string all;
  for (int i = 1; i <= parts; ++i) {
    Outcome outcome = bough(call + Words{"--shard", fmt::format("{}/{}", i, parts)});
    EXPECT_TRUE(fine(outcome));
    all += outcome.out;
  }
  return all;
}

void expect_parts(const Words& call) {
  Outcome whole = bough(call);
  ASSERT_TRUE(fine(whole));
  ASSERT_FALSE(whole.out.empty());
  for (int parts : {2, 7}) {
    EXPECT_EQ(in_parts(call, parts), whole.out) << testing::PrintToString(call);
  }
}

class Shards : public testing::Test {
 protected:
  Shards() {
    put(text_, "the dog ___ .\n\n___ bird ___\nwe <blank:1-2> river .\n___\n");
    put(bags_, "dog the . barks\nbird a sings\n\nriver the . we\nsnow in\n");
  }

  TempFolder folder_;
  fs::path text_ = folder_.path() / "templates";
  fs::path bags_ = folder_.path() / "bags";
  Words quiet_ = {"--quiet", "--threads", "1"};
};

TEST_F(Shards, OfSentencesAndLinesAreTheWhole) {
  fs::path model = oracle_model("uniform");
  for (const Words& more : {Words{}, Words{"--format", "jsonl"}, Words{"--mbr", "3"}}) {
    expect_parts(Words{"generate", "--model", model, "-n", "5"} + more + quiet_);
    expect_parts(Words{"complete", "--model", model, "-i", text_, "-n", "2"} + more + quiet_);
  }
  expect_parts(Words{"complete", "--model", model, "-i", text_, "--nbest", "2"} + quiet_);
  expect_parts(Words{"score", "--model", model, "-i", bags_, "--samples", "4"} + quiet_);
  expect_parts({"tagger", "tag", "-i", bags_.string(), "--quiet"});
}

TEST_F(Shards, KeepOutWhatTheyCantPart) {
  fs::path model = oracle_model("uniform");
  for (const char* wrong : {"0/2", "3/2", "1", "1/0", "a/b", "1/2/3", "-1/2", "1/", "/2"}) {
    Outcome outcome = bough({"generate", "--model", model, "--shard", wrong});
    EXPECT_EQ(outcome.exit_code, 2) << wrong;
    EXPECT_TRUE(has(outcome.err, "--shard takes I/N")) << outcome.err;
  }
  Outcome input = bough({"complete", "--model", model, "--shard", "1/2"}, "a ___\n");
  EXPECT_EQ(input.exit_code, 2);
  EXPECT_TRUE(has(input.err, "--input FILE"));
  Outcome search =
      bough({"generate", "--model", model, "--beam-size", "3", "--nbest", "2", "--shard", "1/2"});
  EXPECT_EQ(search.exit_code, 2);
  EXPECT_TRUE(has(search.err, "each by itself"));
}

TEST_F(Shards, BadLinesAreTheirOwnPartsBusiness) {
  fs::path text = folder_.path() / "bad";
  put(text, "dog\n\xff\ncat\nbird\n");
  Outcome first = bough({"tagger", "tag", "-i", text, "--shard", "1/2", "--quiet"});
  EXPECT_EQ(first.exit_code, 3);
  EXPECT_TRUE(has(first.err, "line 2"));
  EXPECT_TRUE(fine(bough({"tagger", "tag", "-i", text, "--shard", "2/2", "--quiet"})));
  Outcome skipped =
      bough({"tagger", "tag", "-i", text, "--on-error", "skip", "--shard", "1/2", "--quiet"});
  EXPECT_EQ(skipped.out, "NOUN\n\n");
}

TEST_F(Shards, RowsAreScoredTogether) {
  fs::path reference = folder_.path() / "ref";
  fs::path hypothesis = folder_.path() / "hyp";
  Words lines = tiny_sentences();
  put(reference, joined(lines));
  for (size_t i = 0; i < lines.size(); i += 2) lines[i] = "the " + lines[i];
  put(hypothesis, joined(lines));
  Words metrics = {"-m", "bleu", "chrf", "ter", "em", "--confidence", "--quiet"};
  Outcome whole = bough(Words{"eval", reference, "-i", hypothesis} + metrics);
  ASSERT_TRUE(fine(whole));
  for (const char* part : {"1/3", "2/3", "3/3"}) {
    EXPECT_TRUE(fine(bough(Words{"eval", reference, "-i", hypothesis, "--shard", part, "--rows-out",
                                 folder_.path() / Words{part}[0].substr(0, 1)} +
                           metrics)));
  }
  fs::path one = folder_.path() / "1";
  fs::path two = folder_.path() / "2";
  fs::path three = folder_.path() / "3";
  Outcome together = bough(
      Words{"eval", reference, "--rows-in", one, "--rows-in", two, "--rows-in", three} + metrics);
  ASSERT_TRUE(fine(together));
  EXPECT_EQ(together.out, whole.out);
  Outcome some = bough(Words{"eval", reference, "--rows-in", one, "--rows-in", two} + metrics);
  EXPECT_EQ(some.exit_code, 3);
  EXPECT_TRUE(has(some.err, "give all parts"));
  Outcome other = bough({"eval", reference, "--rows-in", one, "-m", "ribes"});
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_TRUE(has(other.err, "other rows"));
  EXPECT_EQ(bough({"eval", reference, "--rows-in", hypothesis}).exit_code, 3);
  EXPECT_EQ(bough({"eval", reference, "-i", hypothesis, "--rows-in", one}).exit_code, 2);
  expect_parts({"eval", reference, "-i", hypothesis, "--sentence-level", "--quiet"});
  expect_parts({"eval", reference, "-i", hypothesis, "--sentence-level", "--format", "text"});
}

TEST_F(Shards, OfSamplesAreMeasuredTogether) {
  fs::path samples = folder_.path() / "samples.jsonl";
  fs::path text = folder_.path() / "text";
  put(text, joined(tiny_sentences()));
  ASSERT_TRUE(fine(bough(Words{"generate", "--model", oracle_model("uniform"), "-n", "9",
                               "--max-length", "2", "--format", "jsonl", "-o", samples} +
                         quiet_)));
  Words call = {"eval", "samples", "--train", text, "--reference", text, "--quiet"};
  Outcome whole = bough(call + Words{"--samples", samples});
  ASSERT_TRUE(fine(whole));
  Words rows;
  for (const char* part : {"1/2", "2/2"}) {
    fs::path out = folder_.path() / fmt::format("part{}", part[0]);
    EXPECT_TRUE(
        fine(bough(call + Words{"--samples", samples, "--shard", part, "--rows-out", out})));
    rows.insert(rows.end(), {"--rows-in", out});
  }
  Outcome together = bough(call + rows);
  ASSERT_TRUE(fine(together));
  EXPECT_EQ(together.out, whole.out);
  EXPECT_TRUE(has(whole.out, "mean_span"));
}

}  // namespace
}  // namespace bough
