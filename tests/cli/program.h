// The real program, started as a process of its own: no shell, no terminal, nothing of the test's
// BOUGH_… environment but BOUGH_KERNELS.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace bough {

/// `exit_code` is minus the signal's number where one ended the process.
struct Outcome {
  int exit_code = 0;
  std::string out;
  std::string err;
};

using Words = std::vector<std::string>;

inline int checked(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

/// A file descriptor that isn't handed on to children by itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

/// A file in memory: a process can write any amount to it without waiting for a reader.
inline Descriptor memory_file(const char* name) {
  return Descriptor(checked(::memfd_create(name, MFD_CLOEXEC), "memfd_create"));
}

inline std::string content_of(const Descriptor& file) {
  std::string content;
  std::array<char, 4096> buffer{};
  for (;;) {
    auto count =
        ::pread(file.number(), buffer.data(), buffer.size(), static_cast<off_t>(content.size()));
    checked(static_cast<int>(count), "pread");
    if (count == 0) return content;
    content.append(buffer.data(), static_cast<size_t>(count));
  }
}

/// The reading end of a pipe that holds `input` and nothing behind it.
inline Descriptor pipe_with(std::string_view input) {
  constexpr size_t kPipeHolds = 65536;
  if (input.size() > kPipeHolds) throw std::length_error("too much for a pipe without a reader");
  std::array<int, 2> ends{};
  checked(::pipe2(ends.data(), O_CLOEXEC), "pipe2");
  Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  if (!input.empty()) {
    checked(static_cast<int>(::write(writing.number(), input.data(), input.size())), "write");
  }
  return reading;
}

/// A run of bough. One that is still going on at the end of its life is killed.
class Program {
 public:
  explicit Program(const Words& arguments, std::string_view input = "",
                   const Words& environment = {})
      : Program(own_path(), arguments, input, environment) {}

  /// The program at another place.
  Program(const std::string& path, const Words& arguments, std::string_view input = "",
          const Words& environment = {})
      : out_(memory_file("out")), err_(memory_file("err")) {
    Words words = {path};
    words.insert(words.end(), arguments.begin(), arguments.end());
    Words settings = environment_with(environment);
    Descriptor in = pipe_with(input);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.number(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out_.number(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err_.number(), STDERR_FILENO);
    int error = ::posix_spawn(&process_, path.c_str(), &actions, nullptr, pointers_to(words).data(),
                              pointers_to(settings).data());
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::system_error(error, std::generic_category(), path);
  }
  ~Program() {
    if (!running()) return;
    send(SIGKILL);
    finish();
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  bool running() {
    if (!ended_) ended_ = checked(::waitpid(process_, &status_, WNOHANG), "waitpid") != 0;
    return !ended_;
  }

  pid_t process() const { return process_; }

  /// On standard error so far.
  std::string said() const { return content_of(err_); }

  /// Nothing happens where it has ended already.
  void send(int signal) {
    if (running()) ::kill(process_, signal);
  }

  Outcome finish() {
    if (!ended_) checked(::waitpid(process_, &status_, 0), "waitpid");
    ended_ = true;
    int code = WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_);
    return {.exit_code = code, .out = content_of(out_), .err = content_of(err_)};
  }

 private:
  static std::string own_path() {
    const char* path = std::getenv("BOUGH_PROGRAM");
    if (path == nullptr) throw std::runtime_error("BOUGH_PROGRAM does not name the program");
    return path;
  }

  static std::vector<char*> pointers_to(Words& words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
  }

  static Words environment_with(const Words& additions) {
    Words all = additions;  // of a name that is there twice, the first counts
    for (char** entry = environ; *entry != nullptr; ++entry) {
      std::string_view setting = *entry;
      bool kept = setting.starts_with("BOUGH_KERNELS=");  // another machine is acted
      if (kept || !setting.starts_with("BOUGH_")) all.emplace_back(setting);
    }
    return all;
  }

  Descriptor out_;
  Descriptor err_;
  pid_t process_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

/// Waits until `happened` says so, or the program has ended; whether it did happen.
template <typename Happened>
bool wait_for(Program& program, const Happened& happened) {
  while (program.running()) {
    if (happened()) return true;
    // Only so as not to keep a core busy.
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return happened();
}

/// Runs bough to its end. `environment` holds entries like `BOUGH_SEED=5`.
inline Outcome bough(const Words& arguments, std::string_view input = "",
                     const Words& environment = {}) {
  return Program(arguments, input, environment).finish();
}

/// Runs each of them to its end, two at a time: most of a short run is the loading of LibTorch.
inline std::vector<Outcome> bough_each(const std::vector<Words>& calls) {
  std::vector<Outcome> outcomes;
  std::vector<std::unique_ptr<Program>> started;
  for (const Words& call : calls) {
    started.push_back(std::make_unique<Program>(call));
    if (started.size() >= 2) outcomes.push_back(started[started.size() - 2]->finish());
  }
  if (!started.empty()) outcomes.push_back(started.back()->finish());
  return outcomes;
}

inline Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

inline Words split_lines(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

inline std::vector<nlohmann::json> json_lines(const Words& lines) {
  std::vector<nlohmann::json> values;
  for (const std::string& line : lines) values.push_back(nlohmann::json::parse(line));
  return values;
}

inline testing::AssertionResult has(const std::string& text, std::string_view part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << part << "' is not in '" << text << "'";
}

/// What was said on standard error but for the remark that a busy machine may cause.
inline std::string without_blas_warning(const std::string& err) {
  std::string rest;
  for (const std::string& line : split_lines(err)) {
    if (line.find("BLAS") == std::string::npos) rest += line + "\n";
  }
  return rest;
}

/// Exit code 0.
inline testing::AssertionResult fine(const Outcome& outcome) {
  if (outcome.exit_code == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "exit code " << outcome.exit_code << ": " << outcome.err;
}

/// How bad input has to end: with the code, nothing on standard output, and on standard error a
/// last line `error: …`, with `parts` in it, that a person can read: no name of a C++ type, no
/// backtrace.
inline testing::AssertionResult refused(const Outcome& outcome, int code, const Words& parts = {}) {
  auto failure = [&] {
    return testing::AssertionFailure()
           << "exit code " << outcome.exit_code << ", standard error '" << outcome.err << "': ";
  };
  if (outcome.exit_code != code) return failure() << "exit code " << code << " expected";
  if (!outcome.out.empty()) return failure() << "and on standard output '" << outcome.out << "'";
  size_t start = outcome.err.rfind("error: ");
  if (start == std::string::npos) return failure() << "no line 'error: …'";
  std::string message = outcome.err.substr(start);
  for (const std::string& part : parts) {
    if (message.find(part) == std::string::npos) return failure() << "no '" << part << "' in it";
  }
  for (std::string_view alien : {"exception", "terminate", "frame #", "std::", "c10::"}) {
    if (message.find(alien) != std::string::npos) return failure() << "'" << alien << "' in it";
  }
  return testing::AssertionSuccess();
}

/// A call that has to be refused.
struct Refusal {
  Words arguments;
  int code;
  Words parts;  // of the message
};

inline void expect_refused(const std::vector<Refusal>& refusals) {
  std::vector<Words> calls;
  for (const Refusal& refusal : refusals) calls.push_back(refusal.arguments);
  std::vector<Outcome> outcomes = bough_each(calls);
  for (size_t i = 0; i < refusals.size(); ++i) {
    EXPECT_TRUE(refused(outcomes[i], refusals[i].code, refusals[i].parts))
        << testing::PrintToString(refusals[i].arguments);
  }
}

}  // namespace bough
