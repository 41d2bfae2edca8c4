#include "bough/ask/text_options.h"

#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/generate/candidates.h"
#include "bough/text/european_tokenizer.h"
#include "bough/text/tokenizer.h"
#include "bough/tree/trace.h"

namespace bough::ask {

void TextOptions::check() const {
  if (tokens && detokenize) throw UsageError("--tokens contradicts --detokenize: give one of them");
}

std::string TextOptions::text_of(const Trace& trace, const Tokenizer& tokenizer) const {
  std::vector<std::string> words = trace.sentence();
  if (tokens) return join_words(words);
  return detokenize ? tokenizer.join_for_people(words) : tokenizer.join(words);
}

std::vector<std::string> TextOptions::labels_of(const Trace& trace) const {
  std::vector<std::string> labels = trace.texts;
  for (std::string& label : labels) {
    if (!tokens) label = shown_token(label);
  }
  return labels;
}

nlohmann::ordered_json TextOptions::json_of(const Written& written,
                                            const Tokenizer& tokenizer) const {
  nlohmann::ordered_json json = to_json(written.trace);
  json["text"] = text_of(written.trace, tokenizer);
  if (written.likelihood) json["likelihood"] = *written.likelihood;
  if (nbest > 0) json["score"] = written.score;
  return json;
}

}  // namespace bough::ask
