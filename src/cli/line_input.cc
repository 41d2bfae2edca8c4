#include "line_input.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "bough/base/error.h"

namespace bough::cli {

bool LineInput::next(const Take& take) {
  error_.clear();
  try {
    if (!reader_.next(line_)) return false;
  } catch (const BadLine& bad) {
    if (!skips()) throw;
    skip(bad.what(), bad.what());
    return true;
  }
  auto with_place = [&](const std::exception& error) {
    return fmt::format("{}: {}", reader_.place(), error.what());
  };
  try {
    take(line_);
  } catch (const UnmetError& error) {
    if (!skips()) throw UnmetError("{}", with_place(error));
    skip(error.what(), with_place(error));
  } catch (const DataError& error) {
    if (!skips()) throw DataError("{}", with_place(error));
    skip(error.what(), with_place(error));
  }
  return true;
}

void LineInput::skip(const std::string& error, const std::string& message) {
  error_ = error;
  if (skipped_++ == 0) first_skipped_ = message;
}

void LineInput::warn_of_skipped() const {
  if (skipped_ == 0) return;
  spdlog::warn("{} of {} lines skipped; the first: {}", skipped_, reader_.line_number(),
               first_skipped_);
}

}  // namespace bough::cli
