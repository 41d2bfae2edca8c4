// `POST /v1/completions` in OpenAI's shape, so that clients written for that work.
//
// A language model writes what stands between `prompt` and `suffix`; a model that translates takes
// the prompt as its source, one that reorders as its words. A tree grows in all places at once, so
// a stream has each choice as one piece, when it is done.
#pragma once

#include <memory>

#include "server/writing_question.h"

namespace bough::server {

std::unique_ptr<Question> read_completion(const QuestionRequest& request);

/// The fields for OpenAPI.
Json completion_schema();

}  // namespace bough::server
