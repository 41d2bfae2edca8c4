// bough translate: a sentence a line → its translation.
#include <fmt/format.h>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/utf8.h"
#include "neural/neural_commands.h"
#include "neural/writing.h"
#include "trace_output.h"
#include "translate_verb.h"

namespace bough::cli {

namespace {

/// Lines that are read, translated and written at a time.
constexpr size_t kChunk = 4096;

class TranslateCommand : public TranslateVerb {
 public:
  void run(OptionSet& set, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    Model model = open_model(writing_, Task::kTranslate, name(), "translate", set);
    LineReader reader(input_);
    OutputFile output(output_.file);
    while (read_chunk(reader, *model.source)) {
      translate(model, output);
      ++writing_.options.seed;  // other draws for other lines
    }
    output.commit();
  }

 private:
  /// The ids of the next lines; false at the end.
  bool read_chunk(LineReader& reader, const Text& text) {
    lines_.clear();
    for (std::string line; lines_.size() < kChunk && reader.next(line);) {
      std::string where = fmt::format("{}, line {}", reader.name(), reader.line_number());
      if (find_bad_utf8(line) != std::string::npos) throw DataError("{}: not UTF-8", where);
      lines_.push_back(text.ids(line));
      if (static_cast<int64_t>(lines_.back().size()) > max_source_) {
        throw DataError("{}: {} words or pieces of words, more than --max-source {}", where,
                        lines_.back().size(), max_source_);
      }
    }
    return !lines_.empty();
  }

  void translate(const Model& model, OutputFile& output) {
    std::vector<Prompt> prompts;
    for (const std::vector<WordId>& line : lines_) {
      if (!line.empty()) prompts.push_back({.source = line});
    }
    WriteRequest request{.count = static_cast<int64_t>(prompts.size()),
                         .prompts = prompts,
                         .best = output_.nbest,
                         .with_scores = output_.format == OutputFormat::kJsonl || output_.nbest > 0,
                         .alternatives = output_.alternatives};
    size_t next = 0;
    auto write_empty_lines = [&] {
      for (; next < lines_.size() && lines_[next].empty(); ++next, ++line_number_) {
        output.write_line("");
      }
    };
    write_sentences(writing_.options, model, request, [&](std::vector<Written>&& found) {
      write_empty_lines();
      write(found, output);
      ++next;
      ++line_number_;
    });
    write_empty_lines();
  }

  /// N-best lists of text are in the form that translation tools read.
  void write(std::span<const Written> found, OutputFile& output) const {
    if (output_.nbest == 0 || output_.format != OutputFormat::kText) {
      output_.write(found, output);
      return;
    }
    for (const Written& written : found) {
      output.write_line(fmt::format("{} ||| {} ||| F0= {:.5f} ||| {:.5f}", line_number_,
                                    output_.render(written.trace), written.trace.logprob(),
                                    written.score));
    }
  }

  std::vector<std::vector<WordId>> lines_;  // of the chunk under way
  int64_t line_number_ = 0;                 // counted from 0
};

}  // namespace

std::unique_ptr<Command> make_translate_command() {
  return std::make_unique<TranslateCommand>();
}

}  // namespace bough::cli
