// bough bench start: how long the program takes to start, and how much memory.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/share.h"
#include "commands.h"
#include "neural_program.h"

namespace bough::cli {

namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

struct Start {
  double milliseconds = 0.0;
  double megabytes = 0.0;  // the most that were resident
};

/// Runs a program that stands beside this one, or this one, with nothing to read, and throws away
/// what it writes.
Start measure_start(Words words) {
  std::string program = own_folder() / words.front();
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
  }
  auto begin = std::chrono::steady_clock::now();
  pid_t process = 0;
  int error = ::posix_spawn(&process, program.c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw RunError("cannot start '{}'", program);
  int status = 0;
  rusage used{};
  ::wait4(process, &status, 0, &used);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (status != 0) throw RunError("`{}` failed", fmt::join(words, " "));
  return {1e3 * seconds.count(), static_cast<double>(used.ru_maxrss) / 1024.0};
}

class BenchStartCommand : public Command {
 public:
  std::string_view name() const override { return "bench start"; }
  std::string_view summary() const override {
    return "Measure how long verbs take to start, with and without tensors.";
  }
  std::string_view usage() const override { return "bench start [--repeats N] [--json]"; }
  void declare(OptionSet& set) override {
    set.group("Benchmark");
    set.integer("repeats", repeats_, {1, 1000}, "runs to take the median of");
    set.flag("json", json_, "print JSON");
    common_.declare(set);
  }
  void run(OptionSet& /*set*/, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    // Verbs read an empty input, so what is measured is starting and ending.
    std::vector<Words> calls = {{"bough", "--version"},
                                {"bough", "train", "--help"},
                                {"bough", "completion", "bash"},
                                {"bough", "data", "stats", "/dev/null"},
                                {"bough", "tagger", "tag"}};
    // With all its libraries.
    if (has_neural_program()) calls.push_back({"bough-nn", "--version"});
    Json report = Json::array();
    for (const Words& call : calls) {
      std::vector<double> times;
      double memory = 0.0;
      for (int64_t run = 0; run < repeats_; ++run) {
        Start start = measure_start(call);
        times.push_back(start.milliseconds);
        memory = std::max(memory, start.megabytes);
      }
      std::sort(times.begin(), times.end());
      report.push_back({{"command", fmt::format("{}", fmt::join(call, " "))},
                        {"milliseconds", times[times.size() / 2]},
                        {"low", times.front()},
                        {"high", times.back()},
                        {"memory_mb", memory}});
    }
    OutputFile output("-");
    output.write(json_ ? report.dump(2) + "\n" : text_of(report));
    output.commit();
  }

 private:
  static std::string text_of(const Json& report) {
    std::string text;
    for (const Json& line : report) {
      text += fmt::format("{:<32} {:6.1f} ms ({:.1f} … {:.1f}), {:.0f} MB\n",
                          line.at("command").get<std::string>(),
                          line.at("milliseconds").get<double>(), line.at("low").get<double>(),
                          line.at("high").get<double>(), line.at("memory_mb").get<double>());
    }
    return text;
  }

  int64_t repeats_ = 10;
  bool json_ = false;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_bench_start_command() {
  return std::make_unique<BenchStartCommand>();
}

}  // namespace bough::cli
