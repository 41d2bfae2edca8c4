#include "trace_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/generate/writer.h"
#include "bough/text/european_tokenizer.h"
#include "bough/text/tokenizer.h"
#include "bough/tree/draw.h"

namespace bough::cli {

void TraceOutput::check() const {
  if (tokens && detokenize) throw UsageError("--tokens contradicts --detokenize: give one of them");
}

std::string TraceOutput::text_of(const Trace& trace, const Tokenizer& tokenizer) const {
  std::vector<std::string> words = trace.sentence();
  if (tokens) return join_words(words);
  return detokenize ? tokenizer.join_for_people(words) : tokenizer.join(words);
}

std::vector<std::string> TraceOutput::labels_of(const Trace& trace) const {
  std::vector<std::string> labels = trace.texts;
  for (std::string& label : labels) {
    if (!tokens) label = shown_token(label);
  }
  return labels;
}

nlohmann::ordered_json TraceOutput::json_of(const Written& written,
                                            const Tokenizer& tokenizer) const {
  nlohmann::ordered_json json = to_json(written.trace);
  json["text"] = text_of(written.trace, tokenizer);
  if (written.likelihood) json["likelihood"] = *written.likelihood;
  if (nbest > 0) json["score"] = written.score;
  return json;
}

std::string TraceOutput::scored_text(int64_t number, const Written& written,
                                     const std::string& text) const {
  std::string likelihood =
      written.likelihood ? fmt::format(" F1= {:.5f}", *written.likelihood) : "";
  return fmt::format("{} ||| {} ||| F0= {:.5f}{} ||| {:.5f}", number, text, written.trace.logprob(),
                     likelihood, written.score);
}

std::string TraceOutput::render(int64_t number, const Written& written,
                                const Tokenizer& tokenizer) const {
  if (format == OutputFormat::kJsonl) return json_of(written, tokenizer).dump();
  const Trace& trace = written.trace;
  std::string text = text_of(trace, tokenizer);
  if (format == OutputFormat::kTree) {
    return fmt::format("{}\n\n{}", text, draw_tree(trace.tree, labels_of(trace)));
  }
  return nbest > 0 ? scored_text(number, written, text) : text;
}

void TraceOutput::write(int64_t number, std::span<const Written> found, const Tokenizer& tokenizer,
                        OutputFile& output) const {
  for (const Written& written : found) {
    output.write_line(render(number, written, tokenizer));
  }
}

}  // namespace bough::cli
