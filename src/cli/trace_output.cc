#include "trace_output.h"

#include <fmt/format.h>

#include "bough/text/tokenizer.h"
#include "bough/tree/draw.h"

namespace bough::cli {

std::string TraceOutput::render(const Trace& trace) const {
  std::vector<std::string> words = trace.sentence();
  std::string text = detokenize ? bough::detokenize(words) : join_words(words);
  switch (format) {
    case OutputFormat::kText:
      return text;
    case OutputFormat::kJsonl: {
      nlohmann::ordered_json json = to_json(trace);
      json["text"] = text;
      return json.dump();
    }
    case OutputFormat::kTree:
      return fmt::format("{}\n\n{}", text, draw_tree(trace.tree, trace.texts));
  }
  return "";
}

}  // namespace bough::cli
