// The program: finds the verb, reads its options, runs it, and turns what goes wrong into an exit
// code and one line on standard error.
#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "bough/base/error.h"
#include "bough/base/utf8.h"
#include "bough/model/torch.h"
#include "commands.h"

namespace bough::cli {

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands = make_data_commands();
  commands.push_back(make_train_command());
  commands.push_back(make_generate_command());
  commands.push_back(make_complete_command());
  commands.push_back(make_reorder_command());
  commands.push_back(make_translate_command());
  commands.push_back(make_tune_command());
  commands.push_back(make_eval_command());
  commands.push_back(make_eval_samples_command());
  commands.push_back(make_eval_completion_command());
  commands.push_back(make_analyze_command());
  for (auto& command : make_tagger_commands()) commands.push_back(std::move(command));
  commands.push_back(make_info_command());
  for (auto& command : make_bench_commands()) commands.push_back(std::move(command));
  return commands;
}

namespace {

std::string overview() {
  std::string text =
      "bough writes sentences in the order it finds best: a word anywhere, then the words to its\n"
      "left and to its right.\n\nusage: bough VERB [options]\n\n";
  for (const auto& command : all_commands()) {
    text += fmt::format("  {:<18} {}\n", command->name(), command->summary());
  }
  text += "\n`bough VERB --help` shows a verb's options, `bough --version` the version.\n";
  return text;
}

std::string reference() {
  std::string text =
      "# Options\n\nMade by `bough --reference`; do not edit. Each option can also be set in a "
      "TOML "
      "file (`-c FILE`,\nat the top or in a table named after the verb) or by the environment "
      "(`--batch-size` as\n`BOUGH_BATCH_SIZE`). The command line beats the environment, which "
      "beats "
      "the file.\n";
  for (const auto& command : all_commands()) {
    OptionSet set;
    command->declare(set);
    text += '\n';
    text += reference_section(*command, set);
  }
  return text;
}

void set_up_logging() {
  const char* no_color = std::getenv("NO_COLOR");
  bool plain = no_color != nullptr && *no_color != '\0';
  auto logger = spdlog::stderr_color_mt(
      "bough", plain ? spdlog::color_mode::never : spdlog::color_mode::automatic);
  logger->set_pattern("%^%l%$: %v");
  spdlog::set_default_logger(logger);
}

/// The command that the first words name, and how many words that takes.
std::pair<Command*, size_t> find_command(std::span<const std::unique_ptr<Command>> commands,
                                         std::span<const std::string> names,
                                         std::span<const std::string> words) {
  std::string first_two = words.size() > 1 ? fmt::format("{} {}", words[0], words[1]) : words[0];
  for (size_t count : {2, 1}) {
    auto found = std::find(names.begin(), names.end(), count == 2 ? first_two : words[0]);
    if (found != names.end() && words.size() >= count) {
      return {commands[static_cast<size_t>(found - names.begin())].get(), count};
    }
  }
  bool family = words[0] == "data" || words[0] == "bench" || words[0] == "tagger";
  std::string written = family ? first_two : words[0];
  std::string near = nearest_word(written, names);
  throw UsageError("there is no verb '{}'{}; `bough --help` lists them", for_message(written),
                   near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
}

void run(std::span<const std::string> words) {
  if (words.empty()) throw UsageError("a verb is missing; `bough --help` lists them");
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    fmt::print("{}", overview());
    return;
  }
  if (words[0] == "--version") {
    fmt::print("bough {}\n", BOUGH_VERSION);
    return;
  }
  if (words[0] == "--reference") {
    fmt::print("{}", reference());
    return;
  }
  std::vector<std::unique_ptr<Command>> commands = all_commands();
  std::vector<std::string> verbs;
  for (const auto& other : commands) verbs.emplace_back(other->name());
  auto [command, used] = find_command(commands, verbs, words);
  OptionSet set;
  command->declare(set);
  std::vector<std::string> arguments =
      read_options(set, command->name(), verbs, words.subspan(used));
  if (set.find("help")->get().get<bool>()) {
    fmt::print("{}", help_text(*command, set));
    return;
  }
  if (set.find("dump-config")->get().get<bool>()) {
    fmt::print("{}", as_toml(set));
    return;
  }
  if (set.find("quiet")->get().get<bool>()) spdlog::set_level(spdlog::level::warn);
  set.check_required();
  command->run(set, arguments);
}

int guarded_run(std::span<const std::string> words) {
  try {
    run(words);
    if (std::fflush(stdout) != 0) throw RunError("cannot write to standard output");
    return static_cast<int>(ExitCode::kFine);
  } catch (const Error& error) {
    spdlog::error(error.what());
    return static_cast<int>(error.code());
  } catch (const c10::Error& error) {
    spdlog::error(error.what_without_backtrace());
  } catch (const std::bad_alloc&) {
    spdlog::error("out of memory: try a smaller --batch-size or model");
  } catch (const std::exception& error) {
    spdlog::error(error.what());
  }
  return static_cast<int>(ExitCode::kFailed);
}

}  // namespace
}  // namespace bough::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error to report, not a death
  bough::cli::set_up_logging();
  std::vector<std::string> words(argv + 1, argv + argc);
  return bough::cli::guarded_run(words);
}
