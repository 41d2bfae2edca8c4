// bough: runs the verbs that need no tensors, and becomes bough-nn for the others. So help, data
// and scores start at once, without LibTorch and the 290 libraries that come with it.
#include "commands.h"
#include "neural_program.h"
#include "program.h"

int main(int argc, char** argv) {
  using namespace bough::cli;
  std::vector<std::string> words(argv + 1, argv + argc);
  auto run_verb = [&](Command& command, bough::OptionSet& set,
                      std::span<const std::string> arguments) {
    if (command.neural()) become_neural_program(argv);
    command.run(set, arguments);
  };
  return run_program(words, all_commands(), run_verb);
}
