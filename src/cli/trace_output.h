// How verbs that write sentences print them.
#pragma once

#include <string>

#include "bough/base/options.h"
#include "bough/tree/trace.h"

namespace bough::cli {

enum class OutputFormat { kText, kJsonl, kTree };

}  // namespace bough::cli

template <>
struct bough::EnumNames<bough::cli::OutputFormat> {
  using Format = bough::cli::OutputFormat;
  static constexpr std::array<std::pair<Format, std::string_view>, 3> kNames{
      {{Format::kText, "text"}, {Format::kJsonl, "jsonl"}, {Format::kTree, "tree"}}};
};

namespace bough::cli {

struct TraceOutput {
  std::string file = "-";
  OutputFormat format = OutputFormat::kText;
  bool detokenize = false;

  void declare(OptionSet& set) {
    set.text("output", file, "FILE", "where to write; -: standard output").short_name = 'o';
    set.choice("format", format, "sentences, traces as JSON lines, or drawn trees");
    set.flag("detokenize", detokenize, "write text as people do: `how are you?`");
  }

  /// A sentence as it is printed, without a line end.
  std::string render(const Trace& trace) const;
};

}  // namespace bough::cli
