// `bough data learn-bpe` and `apply-bpe`, beside what subword-nmt makes of the same text.
#include "bough/base/file.h"
#include "golden_root.h"
#include "program.h"
#include "same_output.h"
#include "temp_folder.h"

namespace bough {
namespace {

std::string golden(const std::string& name) {
  return golden_root() / "metrics" / name;
}

void expect_pieces(const Words& options, const std::string& expected) {
  Outcome outcome = bough(Words{"data", "apply-bpe", "--codes", golden("bpe_codes_500.txt"), "-i",
                                golden("bpe_apply_in.txt")} +
                          options);
  ASSERT_TRUE(fine(outcome));
  EXPECT_TRUE(same_output(outcome.out, read_file(golden(expected)))) << expected;
}

TEST(BpeVerbs, CutWordsAsSubwordNmtDoes) {
  expect_pieces({}, "bpe_apply_out.txt");
  expect_pieces({"--bpe-first-merges", "200"}, "bpe_apply_out_m200.txt");
  expect_pieces({"--bpe-glossaries", "She", "--bpe-glossaries", "the"},
                "bpe_apply_out_glossary.txt");
  expect_pieces({"--bpe-vocabulary", golden("bpe_vocab.txt"), "--bpe-vocabulary-threshold", "20"},
                "bpe_apply_out_vocab20.txt");
}

TEST(BpeVerbs, PutPiecesTogetherAgain) {
  Outcome outcome = bough({"data", "apply-bpe", "--join", "-i", golden("bpe_apply_out.txt")});
  ASSERT_TRUE(fine(outcome));
  EXPECT_TRUE(same_output(outcome.out, read_file(golden("bpe_apply_in.txt"))));
}

TEST(BpeVerbs, LearnTheSameCodes) {
  TempFolder folder;
  fs::path codes = folder.path() / "codes.txt";
  fs::path pieces = folder.path() / "pieces.txt";
  Outcome outcome = bough({"data", "learn-bpe", "-i", golden("bpe_train.txt"), "-o", codes,
                           "--bpe-merges", "500", "--vocabulary-out", pieces});
  ASSERT_TRUE(fine(outcome));
  EXPECT_TRUE(same_output(read_file(codes), read_file(golden("bpe_codes_500.txt"))));
  Outcome cut = bough({"data", "apply-bpe", "--codes", codes, "--bpe-vocabulary", pieces, "-i",
                       golden("bpe_train.txt")});
  Outcome plain = bough({"data", "apply-bpe", "--codes", codes, "-i", golden("bpe_train.txt")});
  ASSERT_TRUE(fine(cut));
  EXPECT_TRUE(same_output(cut.out, plain.out));  // every piece of the text is there
}

TEST(BpeVerbs, SayWhatIsWrong) {
  TempFolder folder;
  std::string bad = folder.path() / "bad.txt";
  write_file(bad, "fine\n\xff\n");
  std::string empty = folder.path() / "empty.txt";
  write_file(empty, "");
  std::string codes = folder.path() / "codes.txt";
  expect_refused({{{"data", "apply-bpe"}, 2, {"--codes", "--join"}},
                  {{"data", "apply-bpe", "--join", "--codes", "x"}, 2, {"--codes", "--join"}},
                  {{"data", "apply-bpe", "--codes", "nowhere.txt"}, 3, {"nowhere.txt"}},
                  {{"data", "apply-bpe", "--join", "-i", bad}, 3, {"bad.txt", "line 2"}},
                  {{"data", "learn-bpe", "-i", bad, "-o", codes}, 3, {"bad.txt", "line 2"}},
                  {{"data", "learn-bpe", "-i", empty, "-o", codes}, 3, {"empty.txt"}},
                  {{"data", "learn-bpe"}, 2, {"--output"}}});
  EXPECT_FALSE(fs::exists(codes));
}

}  // namespace
}  // namespace bough
