// Errors as typed exceptions. The library throws them and never prints, exits or aborts; `main`
// (and later the HTTP handler) turns them into an exit code (or a status) and a message.
//
// A message says what went wrong, where (file, line, option), what is allowed, and what to do.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace bough {

/// What the process answers with; the numbers are part of the command line's contract.
enum class ExitCode : int {
  kFine = 0,
  kFailed = 1,         // failed while running
  kUsage = 2,          // wrong usage or configuration
  kBadData = 3,        // a file that is missing, unreadable, malformed or corrupted
  kUnmet = 4,          // a demand that can't be met
  kInterrupted = 130,  // stopped by SIGINT or SIGTERM
};

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// One class for each exit code; the constructor takes a format string.
template <ExitCode kCode>
class TypedError : public Error {
 public:
  template <typename... Args>
  explicit TypedError(fmt::format_string<Args...> format, Args&&... args)
      : Error(kCode, fmt::format(format, std::forward<Args>(args)...)) {}
};

using RunError = TypedError<ExitCode::kFailed>;
using UsageError = TypedError<ExitCode::kUsage>;
using DataError = TypedError<ExitCode::kBadData>;
using UnmetError = TypedError<ExitCode::kUnmet>;
using Interrupted = TypedError<ExitCode::kInterrupted>;

/// Whoever read our standard output has gone (`| head -1`): nothing is wrong, nothing is left to
/// do.
class OutputClosed : public std::exception {
 public:
  const char* what() const noexcept override { return "standard output was closed"; }
};

}  // namespace bough
