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

nlohmann::ordered_json TraceOutput::json_of(const Trace& trace) const {
  nlohmann::ordered_json json = to_json(trace);
  json["text"] = text_of(trace);
  return json;
}

std::string TraceOutput::render(const Trace& trace) const {
  switch (format) {
    case OutputFormat::kText:
      return text_of(trace);
    case OutputFormat::kJsonl:
      return json_of(trace).dump();
    case OutputFormat::kTree:
      return fmt::format("{}\n\n{}", text_of(trace), draw_tree(trace.tree, trace.texts));
  }
  return "";
}

std::string TraceOutput::render_scored(int64_t number, const Written& written) const {
  switch (format) {
    case OutputFormat::kText:
      return fmt::format("{} ||| {} ||| F0= {:.5f} ||| {:.5f}", number, text_of(written.trace),
                         written.trace.logprob(), written.score);
    case OutputFormat::kJsonl: {
      nlohmann::ordered_json json = json_of(written.trace);
      json["score"] = written.score;
      return json.dump();
    }
    case OutputFormat::kTree:
      return render(written.trace);
  }
  return "";
}

void TraceOutput::write(int64_t number, std::span<const Written> found, OutputFile& output) const {
  for (const Written& written : found) {
    output.write_line(nbest > 0 ? render_scored(number, written) : render(written.trace));
  }
}

}  // namespace bough::cli
