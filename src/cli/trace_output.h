// Where verbs that write sentences print them, and in which form.
#pragma once

#include <span>
#include <string>

#include "bough/base/file.h"
#include "bough/base/options.h"

namespace bough {
class Tokenizer;
struct Written;
}  // namespace bough

namespace bough::ask {
struct TextOptions;
}  // namespace bough::ask

namespace bough::cli {

enum class OutputFormat { kText, kJsonl, kTree };

}  // namespace bough::cli

template <>
struct bough::EnumNames<bough::cli::OutputFormat> {
  using Format = bough::cli::OutputFormat;
  static constexpr auto kNames = std::to_array<EnumName<Format>>(
      {{Format::kText, "text"}, {Format::kJsonl, "jsonl"}, {Format::kTree, "tree"}});
};

namespace bough::cli {

struct TraceOutput {
  std::string file = "-";
  OutputFormat format = OutputFormat::kText;

  void declare(OptionSet& set) {
    set.text("output", file, "FILE", "where to write; -: standard output")
        .about_the_program()
        .short_name = 'o';
    set.choice("format", format, "sentences, traces as JSON lines, or drawn trees")
        .about_the_program();
  }

  /// Whether the log-probabilities of steps are printed.
  bool has_scores() const { return format == OutputFormat::kJsonl; }
};

/// Prints sentences as the options say.
class TracePrinter {
 public:
  /// All must outlive it.
  TracePrinter(const TraceOutput& form, const ask::TextOptions& text, const Tokenizer& tokenizer,
               OutputFile& output)
      : form_(form), text_(text), tokenizer_(tokenizer), output_(output) {}

  /// Sentences for line `number`, from 0, each on a line of its own. With --nbest they have scores:
  /// text is in the form that translation tools read.
  void print(int64_t number, std::span<const Written> found);
  /// For a line that has none, and why.
  void print_none(const std::string& error);

 private:
  /// A sentence as it is printed, without a line end.
  std::string render(int64_t number, const Written& written) const;

  const TraceOutput& form_;
  const ask::TextOptions& text_;
  const Tokenizer& tokenizer_;
  OutputFile& output_;
};

}  // namespace bough::cli
