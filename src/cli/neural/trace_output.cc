#include "trace_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bough/ask/text_options.h"
#include "bough/generate/candidates.h"
#include "bough/tree/draw.h"

namespace bough::cli {

namespace {

std::string scored_text(int64_t number, const Written& written, const std::string& text) {
  std::string likelihood =
      written.likelihood ? fmt::format(" F1= {:.5f}", *written.likelihood) : "";
  return fmt::format("{} ||| {} ||| F0= {:.5f}{} ||| {:.5f}", number, text, written.trace.logprob(),
                     likelihood, written.score);
}

}  // namespace

std::string TracePrinter::render(int64_t number, const Written& written) const {
  if (form_.format == OutputFormat::kJsonl) return text_.json_of(written, tokenizer_).dump();
  const Trace& trace = written.trace;
  std::string text = text_.text_of(trace, tokenizer_);
  if (form_.format == OutputFormat::kTree) {
    return fmt::format("{}\n\n{}", text, draw_tree(trace.tree, text_.labels_of(trace)));
  }
  return text_.nbest > 0 ? scored_text(number, written, text) : text;
}

void TracePrinter::print(int64_t number, std::span<const Written> found) {
  for (const Written& written : found) output_.write_line(render(number, written));
}

void TracePrinter::print_none(const std::string& error) {
  bool say_why = !error.empty() && form_.format == OutputFormat::kJsonl;
  output_.write_line(say_why ? nlohmann::ordered_json{{"version", 1}, {"error", error}}.dump()
                             : "");
}

}  // namespace bough::cli
