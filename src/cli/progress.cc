#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace bough::cli {

namespace {
constexpr int kBarWidth = 24;
}

Progress::Progress(bool quiet)
    : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) != 0), next_(Clock::now()) {}

void Progress::show(double share, const std::string& text) {
  if (quiet_ || Clock::now() < next_) return;
  if (terminal_) {
    int full = static_cast<int>(std::clamp(share, 0.0, 1.0) * kBarWidth);
    fmt::print(stderr, "\r\033[K[{:#<{}}{:.<{}}] {}", "", full, "", kBarWidth - full, text);
    shown_ = true;
    next_ = Clock::now() + std::chrono::milliseconds(150);
  } else {
    fmt::print(stderr, "{:3.0f} % {}\n", 100.0 * share, text);
    next_ = Clock::now() + std::chrono::seconds(10);
  }
  std::fflush(stderr);
}

void Progress::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace bough::cli
