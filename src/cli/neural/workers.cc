#include "neural/workers.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "bough/base/error.h"
#include "bough/base/file.h"

namespace bough::cli {

namespace {

/// The words of this process's command line.
std::vector<std::string> own_command_line() {
  ByteSource source("/proc/self/cmdline");
  std::string all;
  std::string piece(4096, '\0');
  while (size_t count = source.read(piece.data(), piece.size())) all.append(piece, 0, count);
  std::vector<std::string> words;
  for (size_t begin = 0; begin < all.size();) {
    size_t end = all.find('\0', begin);
    words.push_back(all.substr(begin, end - begin));
    begin = end == std::string::npos ? all.size() : end + 1;
  }
  return words;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Whether it has ended; waits for it where that is asked for.
bool has_ended(pid_t process, int& status, bool wait) {
  pid_t found = 0;
  do {
    found = ::waitpid(process, &status, wait ? 0 : WNOHANG);
  } while (found < 0 && errno == EINTR && wait);
  return found != 0;
}

}  // namespace

Workers::Workers(int64_t count) : place_(rank_in_environment()) {
  if (place_.size > 1 || count < 2) return;
  meeting_ = std::make_unique<RankMeeting>(count);
  place_ = {.size = count, .local_size = count, .port = meeting_->port()};
  for (int64_t rank = 1; rank < count; ++rank) start(rank);
}

void Workers::start(int64_t rank) {
  std::vector<std::string> words = own_command_line();
  std::vector<std::string> environment = {
      fmt::format("RANK={}", rank), fmt::format("WORLD_SIZE={}", place_.size),
      fmt::format("LOCAL_WORLD_SIZE={}", place_.size), "MASTER_ADDR=" + place_.address,
      fmt::format("MASTER_PORT={}", place_.port)};
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  pid_t process = 0;
  int failure = ::posix_spawn(&process, "/proc/self/exe", nullptr, nullptr,
                              pointers_to(words).data(), pointers_to(environment).data());
  if (failure != 0) throw RunError("cannot start a worker: {}", std::strerror(failure));
  processes_.push_back(process);
}

Ranks& Workers::meet(double timeout) {
  if (place_.size == 1) return no_other_ranks();
  ranks_ = join_ranks(place_, timeout, meeting_.get());
  return *ranks_;
}

void Workers::wait() {
  std::vector<pid_t> processes = std::exchange(processes_, {});
  for (pid_t process : processes) {
    int status = 0;
    has_ended(process, status, true);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      throw RunError("worker {} has failed, but the model is written", process);
    }
  }
}

Workers::~Workers() {
  constexpr std::chrono::seconds kGrace{2};  // for what they have to say
  auto until = std::chrono::steady_clock::now() + kGrace;
  for (pid_t process : processes_) {
    int status = 0;
    bool ended = has_ended(process, status, false);
    while (!ended && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ended = has_ended(process, status, false);
    }
    if (ended) continue;
    ::kill(process, SIGKILL);
    has_ended(process, status, true);
  }
}

}  // namespace bough::cli
