// IWSLT's corpora as WIT3 distributes them, from small files of the same form.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bough/base/error.h"
#include "bough/data/iwslt.h"
#include "error_messages.h"
#include "temp_folder.h"

namespace bough {
namespace {

using Lines = std::vector<std::string>;

std::string xml(const Lines& segments) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<mteval>\n<srcset setid=\"s\">\n"
      "<doc docid=\"1\" genre=\"lectures\">\n<title>A talk</title>\n";
  int id = 1;
  for (const std::string& segment : segments) {
    text += fmt::format("<seg id=\"{}\"> {} </seg>\n", id++, segment);
  }
  return text + "</doc>\n</srcset>\n</mteval>\n";
}

/// A folder with all files; the sides of the training data have different tags.
class Iwslt : public testing::Test {
 protected:
  Iwslt() {
    put_raw("train.tags.de-en.de",
            "<doc docid=\"1\" genre=\"lectures\">\n<url>http://x</url>\n<title>Ein Boot</title>\n"
            "<reviewer>R</reviewer>\n<translator>T</translator>\n"
            "Das  Boot\tsinkt . \r\n\n Danke !\nDanke !\nEs ist < 3 m lang\n</doc>\n");
    put_raw("train.tags.de-en.en",
            "<doc docid=\"1\" genre=\"lectures\">\n  <url>http://x</url>\n<title>A Boat</title>\n"
            "The boat sinks.\nLeft alone.\nThank you!\nThank you!\nIt is < 3 m long\n</doc>\n");
    put_set("IWSLT16.TED.tst2013.de-en", {"Ein &amp; zwei", "Leer", "Zwei"},
            {"One &lt;and&gt; two", "", "Two"});
    put_set("IWSLT16.TED.tst2014.de-en", {"Drei", "Drei"}, {"Three", "Three"});
    options_.raw = folder_.path() / "raw";
  }

  void put_raw(const std::string& name, std::string_view content) const {
    put(folder_.path() / "raw" / name, content);
  }
  void put_set(const std::string& name, const Lines& german, const Lines& english) const {
    put_raw(name + ".de.xml", xml(german));
    put_raw(name + ".en.xml", xml(english));
  }
  IwsltCounts write(const Tokenizer& tokenizer = Tokenizer()) const {
    return write_iwslt(options_, tokenizer, out());
  }
  fs::path out() const { return folder_.path() / "out"; }
  std::string failure() const {
    return message_of<DataError>([&] { write(); });
  }

  TempFolder folder_;
  IwsltOptions options_;
};

TEST_F(Iwslt, WritesAlignedFiles) {
  IwsltCounts counts = write();
  EXPECT_EQ(counts.pairs, (SplitCounts{.train = 4, .valid = 2, .test = 2}));
  EXPECT_EQ(counts.empty_pairs, 2);
  EXPECT_EQ(lines_of(out() / "train.de"),
            (Lines{"Das Boot sinkt .", "Danke !", "Danke !", "Es ist < 3 m lang"}));
  EXPECT_EQ(lines_of(out() / "train.en"),
            (Lines{"The boat sinks.", "Thank you!", "Thank you!", "It is < 3 m long"}));
  EXPECT_EQ(lines_of(out() / "valid.de"), (Lines{"Ein & zwei", "Zwei"}));
  EXPECT_EQ(lines_of(out() / "valid.en"), (Lines{"One <and> two", "Two"}));
  EXPECT_EQ(lines_of(out() / "test.de"), (Lines{"Drei", "Drei"}));
  EXPECT_EQ(lines_of(out() / "test.en"), (Lines{"Three", "Three"}));
}

TEST_F(Iwslt, WordsAndLowerCaseOnDemand) {
  write(Tokenizer({.lowercase = true}));
  EXPECT_EQ(lines_of(out() / "train.en")[0], "the boat sinks.");
  options_.tokenize = true;
  write(Tokenizer({.lowercase = true}));
  EXPECT_EQ(lines_of(out() / "train.en")[0], "the boat sinks .");
  EXPECT_EQ(lines_of(out() / "valid.en")[0], "one < and > two");
}

TEST_F(Iwslt, OtherSetsYearsAndLanguages) {
  put_set("IWSLT14.TED.dev2010.de-en", {"Vier"}, {"Four"});
  put_set("IWSLT17.TED.tst2015.de-en", {"Acht"}, {"Eight"});
  options_.valid_set = "dev2010";
  options_.test_set = "tst2015";
  write();
  EXPECT_EQ(lines_of(out() / "valid.en"), Lines{"Four"});
  EXPECT_EQ(lines_of(out() / "test.de"), Lines{"Acht"});

  for (const char* name : {"train.tags.en-fr.en", "train.tags.en-fr.fr"}) put_raw(name, "a\n");
  for (const char* name : {"IWSLT15.TED.tst2013.en-fr", "IWSLT15.TED.tst2014.en-fr"}) {
    put_raw(std::string(name) + ".en.xml", xml({"one"}));
    put_raw(std::string(name) + ".fr.xml", xml({"un"}));
  }
  options_ = {.raw = options_.raw, .source = "en", .target = "fr"};
  write();
  EXPECT_EQ(lines_of(out() / "test.en"), Lines{"one"});
  EXPECT_EQ(lines_of(out() / "test.fr"), Lines{"un"});
}

TEST_F(Iwslt, TwoYearsOfASetAreOneTooMany) {
  put_set("IWSLT14.TED.tst2013.de-en", {"Vier"}, {"Four"});
  std::string message = failure();
  expect_contains(message, "IWSLT14.TED.tst2013.de-en.de.xml");
  expect_contains(message, "IWSLT16.TED.tst2013.de-en.de.xml");
  EXPECT_FALSE(fs::exists(out() / "train.de"));
}

TEST_F(Iwslt, MissingFilesAreNamed) {
  fs::path raw = options_.raw;
  fs::remove(raw / "IWSLT16.TED.tst2014.de-en.en.xml");
  expect_contains(failure(),
                  "there is no file '" + (raw / "IWSLT16.TED.tst2014.de-en.en.xml").string());
  fs::remove(raw / "IWSLT16.TED.tst2014.de-en.de.xml");
  expect_contains(failure(), "IWSLT16.TED.tst2014.de-en.de.xml");
  fs::remove(raw / "train.tags.de-en.en");
  expect_contains(failure(), "there is no file '" + (raw / "train.tags.de-en.en").string());
  options_.raw = folder_.path() / "nowhere";
  expect_contains(failure(), "nowhere/train.tags.de-en.de");
  expect_contains(failure(), "--raw");
  options_.source = "en";
  EXPECT_THROW(write(), UsageError);
}

TEST_F(Iwslt, SidesOfDifferentLengthAreAnError) {
  put_set("IWSLT16.TED.tst2014.de-en", {"Drei", "Vier"}, {"Three"});
  std::string message = failure();
  expect_contains(message, "tst2014.de-en.de.xml' has 2 segments");
  expect_contains(message, "tst2014.de-en.en.xml' has 1");
  put_raw("train.tags.de-en.en", "<url>\none\n");
  message = failure();
  expect_contains(message, "train.tags.de-en.de' has 5 segments");
  expect_contains(message, "train.tags.de-en.en' has 1");
}

TEST_F(Iwslt, BadTextIsAnErrorWithItsPlace) {
  put_raw("train.tags.de-en.en", "one\ntw\xff\n");
  expect_contains(failure(), "train.tags.de-en.en', line 2: not UTF-8");
}

class Segments : public testing::Test {
 protected:
  Lines segments_of(std::string_view content) const {
    put(folder_.path() / "set.xml", content);
    return read_segments(folder_.path() / "set.xml");
  }
  std::string failure(std::string_view content) const {
    return message_of<DataError>([&] { segments_of(content); });
  }
  TempFolder folder_;
};

TEST_F(Segments, EntitiesAreDecodedOnce) {
  EXPECT_EQ(segments_of("<seg id=\"1\">&quot;R&amp;D&quot; &lt;&gt; &apos;s</seg>\n"
                        "<seg id=\"2\">&amp;lt; &#252;&#xfc;&#x1F355; a&#10;b</seg>\n"
                        "<seg id=\"3\">AT&T & co; &nbsp; &#xd800; &#1114112; &# &</seg>\n"),
            (Lines{"\"R&D\" <> 's", "&lt; üü🍕 a b", "AT&T & co; &nbsp; &#xd800; &#1114112; &# &"}));
}

TEST_F(Segments, SeveralLinesOrOne) {
  EXPECT_EQ(
      segments_of("<seg id=\"1\">one\n  two\r\n</seg><seg>three</seg> no <seg id=\"3\"></seg>"),
      (Lines{"one two", "three", ""}));
}

TEST_F(Segments, ErrorsNameFileAndLine) {
  expect_contains(failure("<doc>\n<seg id=\"1\"> a </seg>\n<seg id=\"2\"> b\n</doc>\n"),
                  "set.xml', line 3: a <seg> without its </seg>");
  expect_contains(failure("<seg id=\"1\"> a\n<seg id=\"2\"> b </seg>\n"), "set.xml', line 1");
  expect_contains(failure("\n<seg"), "set.xml', line 2");
  expect_contains(failure("<seg>a</seg>\n<seg>\xff</seg>"), "set.xml', line 2: not UTF-8");
  expect_contains(failure("<doc>\n</doc>\n"), "set.xml' has no segments");
  expect_contains(failure(""), "set.xml' has no segments");
}

TEST(IwsltOptions, AreDeclared) {
  OptionSet set;
  IwsltOptions options;
  options.declare(set);
  EXPECT_THROW(set.check_required(), UsageError);
  for (const char* name : {"raw", "source", "target", "valid-set", "test-set"}) {
    set.set(name, name, name);
  }
  set.set("tokenize", "true", "--tokenize");
  set.check_required();
  EXPECT_EQ(options.raw, "raw");
  EXPECT_EQ(options.source, "source");
  EXPECT_EQ(options.target, "target");
  EXPECT_EQ(options.valid_set, "valid-set");
  EXPECT_EQ(options.test_set, "test-set");
  EXPECT_TRUE(options.tokenize);
}

}  // namespace
}  // namespace bough
