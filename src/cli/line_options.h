// What the verbs share that read a line and write its sentences: where lines come from, and what
// becomes of a bad one.
#pragma once

#include <string>
#include <string_view>

#include "bough/base/options.h"
#include "bough/base/shard.h"

namespace bough::cli {

enum class OnError { kFail, kSkip };

}  // namespace bough::cli

template <>
struct bough::EnumNames<bough::cli::OnError> {
  using OnError = bough::cli::OnError;
  static constexpr auto kNames =
      std::to_array<EnumName<OnError>>({{OnError::kFail, "fail"}, {OnError::kSkip, "skip"}});
};

namespace bough::cli {

struct LineOptions {
  std::string input = "-";
  OnError on_error = OnError::kFail;
  ShardOptions shard;

  /// `what` a line is: "a bag of words a line".
  void declare(OptionSet& set, std::string_view what) {
    set.text("input", input, "FILE", std::string(what) + "; -: standard input")
        .about_the_program()
        .short_name = 'i';
    set.choice(
           "on-error", on_error,
           "what a line that can't be read or met does: it fails, or gives an empty line (JSON: "
           "an object with `error`) and is counted")
        .about_the_program();
    shard.declare(set, "the input's lines");
  }
};

}  // namespace bough::cli
