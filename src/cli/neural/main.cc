// bough-nn: the verbs that compute with tensors. bough starts it; see ../main.cc.
#include <cstdio>
#include <cstdlib>

#include "bough/model/runtime.h"
#include "commands.h"
#include "neural/neural_commands.h"
#include "program.h"

namespace bough::cli {

namespace {

/// All verbs, the neural ones ready to run.
std::vector<std::unique_ptr<Command>> neural_commands() {
  std::vector<std::unique_ptr<Command>> neural = make_bench_commands();
  for (auto& command : make_writing_commands()) neural.push_back(std::move(command));
  for (auto make :
       {make_train_command, make_score_command, make_tune_command, make_shortlist_command,
        make_export_command, make_import_command, make_eval_completion_command,
        make_analyze_models_command, make_info_command, make_serve_command}) {
    neural.push_back(make());
  }
  std::vector<std::unique_ptr<Command>> commands = all_commands();
  for (auto& command : commands) {
    for (auto& able : neural) {
      if (able && able->name() == command->name()) command = std::move(able);
    }
  }
  return commands;
}

void run_verb(Command& command, OptionSet& set, std::span<const std::string> arguments) {
  with_plain_errors([&] { command.run(set, arguments); });
}

}  // namespace

}  // namespace bough::cli

int main(int argc, char** argv) {
  using namespace bough::cli;
  std::vector<std::string> words(argv + 1, argv + argc);
  int code = run_program(words, neural_commands(), run_verb);
  // LibTorch's thousands of operators and the libraries behind it take a quarter of the time of a
  // short call to be taken down again. What was written is committed by now.
  std::fflush(nullptr);
  std::_Exit(code);
}
