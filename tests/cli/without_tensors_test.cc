// A bough that was built with -DBOUGH_NN=OFF: which verbs it lacks, and says so.
#include "program.h"

namespace bough {
namespace {

TEST(WithoutTensors, NeuralVerbsSayThatTheyAreNotThere) {
  expect_refused({{{"generate", "--model", "english"}, 2, {"built without", "BOUGH_NN"}},
                  {{"info", "--model", "english"}, 2, {"built without"}},
                  {{"train", "--train", "x", "--out", "y"}, 2, {"built without"}},
                  {{"bench", "train"}, 2, {"built without"}}});
}

TEST(WithoutTensors, WhatNeedsNoneWorks) {
  EXPECT_TRUE(has(bough({"generate", "--help"}).out, "--model"));
  EXPECT_TRUE(has(bough({"info", "--list"}).out, "english"));
  Outcome start = bough({"bench", "start", "--repeats", "1"});
  EXPECT_TRUE(fine(start));
  EXPECT_EQ(start.out.find("bough-nn"), std::string::npos);
}

}  // namespace
}  // namespace bough
