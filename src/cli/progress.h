// Progress on standard error: a bar where that is a terminal, else a line every few seconds.
#pragma once

#include <chrono>
#include <string>

namespace bough::cli {

class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows how far (0 to 1) and a text, as often as is useful.
  void show(double share, const std::string& text);

  /// Removes the bar, so that something else can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point next_;
};

}  // namespace bough::cli
