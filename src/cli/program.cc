#include "program.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/utf8.h"
#include "bough/data/shipped_models.h"
#include "completion.h"
#include "help.h"
#include "options_reader.h"

namespace bough::cli {

namespace {

void set_up_logging() {
  const char* no_color = std::getenv("NO_COLOR");
  bool plain = no_color != nullptr && *no_color != '\0';
  auto logger = spdlog::stderr_color_mt(
      "bough", plain ? spdlog::color_mode::never : spdlog::color_mode::automatic);
  logger->set_pattern("%^%l%$: %v");
  spdlog::set_default_logger(logger);
}

bool asks_for_help(const std::string& word) {
  return word == "--help" || word == "-h";
}

/// The command that the first words name, and how many words that takes.
std::pair<Command*, size_t> find_command(Commands commands, std::span<const std::string> words) {
  std::string first_two = words.size() > 1 ? fmt::format("{} {}", words[0], words[1]) : words[0];
  for (size_t count : {2, 1}) {
    const std::string& name = count == 2 ? first_two : words[0];
    for (const auto& command : commands) {
      if (command->name() == name && words.size() >= count) return {command.get(), count};
    }
  }
  return {nullptr, 0};
}

[[noreturn]] void refuse_verb(std::span<const std::string> words, Commands commands,
                              std::span<const std::string> verbs) {
  std::string group = group_overview(words[0], commands);
  if (!group.empty() && words.size() == 1) {
    throw UsageError("bough {} is a group of verbs; one of them is missing:\n{}", words[0], group);
  }
  std::string written = group.empty() ? words[0] : fmt::format("{} {}", words[0], words[1]);
  std::string near = nearest_word(written, verbs);
  throw UsageError("there is no verb '{}'{}; `bough {}--help` lists them", for_message(written),
                   near.empty() ? "" : fmt::format("; did you mean '{}'?", near),
                   group.empty() ? "" : words[0] + " ");
}

/// To standard output, which may be a pipe whose reader goes away.
void say(std::string_view text) {
  OutputFile output("-");
  output.write(text);
  output.commit();
}

void show_help(const Command& command, OptionSet& set, Commands commands) {
  say(help_text(command, set));
  std::string under = group_overview(command.name(), commands);
  if (!under.empty()) say("\nThere are also:\n" + under);
}

/// What is asked of the program itself, not of a verb. False where it is nothing of the kind.
bool answer(std::span<const std::string> words, Commands commands) {
  if (asks_for_help(words[0]) || (words[0] == "help" && words.size() == 1)) {
    say(overview(commands));
  } else if (words[0] == "--version") {
    say(fmt::format("bough {}\n", BOUGH_VERSION));
  } else if (words[0] == "--reference") {
    say(reference(commands));
  } else if (words[0] == "--complete") {
    say(candidates_text(words.subspan(1), commands));
  } else {
    return false;
  }
  return true;
}

void run(std::span<const std::string> words, Commands commands, const RunVerb& run_verb) {
  if (words.empty()) throw UsageError("a verb is missing; `bough --help` lists them");
  if (answer(words, commands)) return;
  bool help = words[0] == "help";  // `bough help train`
  if (help) words = words.subspan(1);
  std::vector<std::string> verbs;
  for (const auto& command : commands) verbs.emplace_back(command->name());
  auto [command, used] = find_command(commands, words);
  if (command == nullptr) {
    std::string group = group_overview(words[0], commands);
    if (group.empty() || !(help || (words.size() > 1 && asks_for_help(words[1])))) {
      refuse_verb(words, commands, verbs);
    }
    say(fmt::format("usage: bough {} VERB [options]\n\n{}", words[0], group));
    return;
  }
  OptionSet set;
  command->declare(set);
  std::vector<std::string> arguments =
      read_options(set, command->name(), verbs, words.subspan(used));
  if (help || set.is_on("help")) {
    show_help(*command, set, commands);
    return;
  }
  if (set.is_on("dump-config")) {
    say(as_toml(set));
    return;
  }
  if (set.is_on("quiet")) spdlog::set_level(spdlog::level::warn);
  set.check_required();
  find_shipped_models(set);
  run_verb(*command, set, arguments);
}

/// Ends as other programs do whose reader has gone: by the signal, without a word.
void end_by_closed_pipe() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
}

}  // namespace

int run_program(std::span<const std::string> words, Commands commands, const RunVerb& run_verb) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe ends the program in order, not in the midst
  set_up_logging();
  try {
    run(words, commands, run_verb);
    if (std::fflush(stdout) != 0) {
      if (errno == EPIPE) throw OutputClosed();
      throw RunError("cannot write to standard output");
    }
    return static_cast<int>(ExitCode::kFine);
  } catch (const OutputClosed&) {
    end_by_closed_pipe();
  } catch (const Error& error) {
    spdlog::error(error.what());
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    spdlog::error("out of memory: try a smaller --batch-size or model");
  } catch (const std::exception& error) {
    spdlog::error(error.what());
  }
  return static_cast<int>(ExitCode::kFailed);
}

}  // namespace bough::cli
