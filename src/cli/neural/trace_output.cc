#include "trace_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bough/generate/writer.h"
#include "bough/text/tokenizer.h"
#include "bough/tree/draw.h"

namespace bough::cli {

std::string TraceOutput::text_of(const Trace& trace) const {
  return detokenize ? bough::detokenize(trace.sentence()) : trace.text;
}

nlohmann::ordered_json TraceOutput::json_of(const Written& written) const {
  nlohmann::ordered_json json = to_json(written.trace);
  json["text"] = text_of(written.trace);
  if (written.likelihood) json["likelihood"] = *written.likelihood;
  if (nbest > 0) json["score"] = written.score;
  return json;
}

std::string TraceOutput::scored_text(int64_t number, const Written& written) const {
  std::string likelihood =
      written.likelihood ? fmt::format(" F1= {:.5f}", *written.likelihood) : "";
  return fmt::format("{} ||| {} ||| F0= {:.5f}{} ||| {:.5f}", number, text_of(written.trace),
                     written.trace.logprob(), likelihood, written.score);
}

std::string TraceOutput::render(int64_t number, const Written& written) const {
  const Trace& trace = written.trace;
  switch (format) {
    case OutputFormat::kText:
      return nbest > 0 ? scored_text(number, written) : text_of(trace);
    case OutputFormat::kJsonl:
      return json_of(written).dump();
    case OutputFormat::kTree:
      return fmt::format("{}\n\n{}", text_of(trace), draw_tree(trace.tree, trace.texts));
  }
  return "";
}

void TraceOutput::write(int64_t number, std::span<const Written> found, OutputFile& output) const {
  for (const Written& written : found) output.write_line(render(number, written));
}

}  // namespace bough::cli
