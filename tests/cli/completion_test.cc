// Completing command lines: what the program offers, and the scripts in real shells.
#include <algorithm>

#include "program.h"
#include "temp_folder.h"

namespace bough {
namespace {

namespace fs = std::filesystem;

/// What is offered for the last of the words, without the meanings.
Words offered(const Words& words) {
  Outcome outcome = bough(Words{"--complete"} + words);
  EXPECT_TRUE(fine(outcome));
  Words lines = split_lines(outcome.out);
  for (std::string& line : lines) line = line.substr(0, line.find('\t'));
  return lines;
}

bool offers(const Words& words, const std::string& word) {
  Words all = offered(words);
  return std::find(all.begin(), all.end(), word) != all.end();
}

TEST(Completion, OffersVerbsAndWhatIsUnderThem) {
  EXPECT_EQ(offered({"gen"}), Words{"generate"});
  EXPECT_EQ(offered({"da"}), Words{"data"});
  EXPECT_EQ(offered({"tagger", "t"}), (Words{"train", "tag"}));
  EXPECT_EQ(offered({"help", "tra"}), (Words{"train", "translate"}));
  EXPECT_EQ(offered({"help", "data", "wo"}), Words{"wordnet"});
  for (const char* word : {"data", "train", "serve", "nonsense"}) {
    EXPECT_EQ(offers({""}, word), std::string(word) != "nonsense") << word;
  }
  EXPECT_TRUE(offers({"eval", ""}, "samples"));
  EXPECT_TRUE(offers({"eval", ""}, "--metrics"));
  EXPECT_EQ(offered({"nonsense", ""}), Words{});
}

TEST(Completion, OffersOptionsAndTheirValues) {
  EXPECT_EQ(offered({"generate", "--top"}), (Words{"--top-k", "--top-p"}));
  EXPECT_EQ(offered({"data", "wordnet", "--lower"}), Words{"--lowercase"});
  EXPECT_EQ(offered({"generate", "--decode", ""}), (Words{"sample", "greedy"}));
  EXPECT_EQ(offered({"generate", "--decode", "=", "g"}), Words{"greedy"}) << "as bash cuts it";
  EXPECT_EQ(offered({"generate", "--decode", "="}), (Words{"sample", "greedy"}));
  EXPECT_EQ(offered({"generate", "--decode=g"}), Words{"--decode=greedy"}) << "as zsh gives it";
  EXPECT_EQ(offered({"generate", "--model", "no-such-name"}), Words{":folders"});
  EXPECT_EQ(offered({"reorder", "-i", "x"}), Words{":files"});
  EXPECT_EQ(offered({"generate", "--seed", ""}), Words{});
  EXPECT_EQ(offered({"eval", "ref", "-m", "bleu", "ch"}), (Words{"chrf", "chrf++"}));
  EXPECT_TRUE(offers({"train", "--force", ""}, "--resume"));
  EXPECT_TRUE(offered({"info", "--nothing", "--js"}) == Words{"--json"});
}

/// Runs a script by a shell in a folder where `bough` is on the path.
std::string said_by(const char* shell, const std::string& script) {
  TempFolder folder;
  fs::create_directories(folder.path() / "models dir");
  put(folder.path() / "some file.txt", "");
  put(folder.path() / "script", script);
  fs::path program = std::getenv("BOUGH_PROGRAM");
  std::string command = "cd '" + folder.path().string() + "' && PATH='" +
                        program.parent_path().string() + "':$PATH " + shell + " script 2>&1";
  std::string said;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start a shell");
  for (int letter = 0; (letter = std::fgetc(pipe)) != EOF;) said += static_cast<char>(letter);
  EXPECT_EQ(::pclose(pipe), 0) << said;
  return said;
}

TEST(Completion, WorksInBash) {
  std::string begin =
      "source <(bough completion bash)\ncompopt() { :; }\n"
      "try() { COMP_WORDS=(bough \"$@\"); COMP_CWORD=$#; _bough; "
      "printf '%s|' \"${COMPREPLY[@]}\"; echo; }\ncomplete -p bough\n";
  Words said =
      split_lines(said_by("bash", begin + "try gen\ntry generate --deco\n"
                                          "try generate --decode gr\ntry generate --model mod\n"
                                          "try generate --decode = s\ntry data stats --js\n"
                                          "try reorder -i some\n"));
  ASSERT_EQ(said.size(), 8U);
  EXPECT_TRUE(has(said[0], "_bough bough"));
  EXPECT_EQ(said[1], "generate|");
  EXPECT_EQ(said[2], "--decode|");
  EXPECT_EQ(said[3], "greedy|");
  EXPECT_EQ(said[4], "models dir|");
  EXPECT_EQ(said[5], "sample|");
  EXPECT_EQ(said[6], "--json|");
  EXPECT_EQ(said[7], "some file.txt|");
}

/// zsh's own functions for completion work in its line editor only; here they print.
TEST(Completion, WorksInZsh) {
  std::string begin =
      "compdef() { echo \"compdef $*\"; }\n_files() { echo \"files $*\"; }\n"
      "_describe() { print -rl -- \"${(@P)${@[-1]}}\"; }\n"
      "source <(bough completion zsh)\n"
      "try() { words=(bough \"$@\"); CURRENT=${#words}; _bough; }\n";
  Words said = split_lines(
      said_by("zsh -f", begin + "try gen\ntry generate --decode=g\ntry generate --model mod\n"
                                "try reorder -i x\ntry completion --quie\n"));
  ASSERT_EQ(said.size(), 6U);
  EXPECT_EQ(said[0], "compdef _bough bough");
  EXPECT_EQ(said[1], "generate:Write sentences with a model.");
  EXPECT_EQ(said[2], "--decode=greedy:");
  EXPECT_EQ(said[3], "files -/");
  EXPECT_EQ(said[4], "files ");
  EXPECT_TRUE(said[5].starts_with("--quiet:")) << said[5];
}

/// As zsh loads it from a folder of completions: the first call completes, too.
TEST(Completion, WorksInZshFromAFolder) {
  std::string script =
      "mkdir functions && bough completion zsh > functions/_bough\n"
      "_describe() { print -rl -- \"${(@P)${@[-1]}}\"; }\n"
      "fpath=($PWD/functions $fpath)\nautoload -Uz _bough\n"
      "try() { words=(bough \"$@\"); CURRENT=${#words}; _bough; }\ntry gen\ntry trai\n";
  Words said = split_lines(said_by("zsh -f", script));
  ASSERT_EQ(said.size(), 2U);
  EXPECT_TRUE(said[0].starts_with("generate:")) << said[0];
  EXPECT_TRUE(said[1].starts_with("train:")) << said[1];
}

TEST(Completion, WorksInFish) {
  std::string begin = "bough completion fish | source\nfunction try; complete -C \"$argv\"; end\n";
  Words said = split_lines(said_by(
      "env HOME=$PWD fish --no-config",
      begin + "try bough gen\ntry bough generate --decode g\ntry bough generate --decode=g\n"
              "try bough generate --model mod\ntry bough reorder -i some\ntry 'bough data '\n"));
  ASSERT_GE(said.size(), 6U);
  EXPECT_EQ(said[0], "generate\tWrite sentences with a model.");
  EXPECT_EQ(said[1], "greedy");
  EXPECT_EQ(said[2], "--decode=greedy");
  EXPECT_EQ(said[3], "models dir/");
  EXPECT_EQ(said[4], "some file.txt");
  EXPECT_TRUE(said.back().starts_with("wordnet\t")) << said.back();
}

TEST(Completion, OtherShellsAreRefused) {
  expect_refused(
      {{{"completion"}, 2, {"bash", "zsh", "fish"}}, {{"completion", "tcsh"}, 2, {"tcsh", "zsh"}}});
}

}  // namespace
}  // namespace bough
