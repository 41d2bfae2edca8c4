#include "server/openapi.h"

#include <fmt/format.h>

#include "bough/ask/writing_task.h"
#include "bough/base/version.h"
#include "score_verb.h"
#include "server/api.h"
#include "server/completions.h"
#include "server/fields.h"
#include "writing_verbs.h"

namespace bough::server {

namespace {

Json fields_of(std::string_view verb, const OptionSet& set, bool streams) {
  Json fields{{"model",
               {{"type", "string"},
                {"description",
                 "which of the models; else the first "
                 "that fits"}}}};
  InputField input = input_of(verb);
  if (!input.name.empty()) fields[std::string(input.name)] = {{"description", input.help}};
  if (streams) {
    fields["stream"] = {{"type", "boolean"},
                        {"description", "server-sent events: the tree as it grows"},
                        {"default", false}};
    fields["draw"] = {{"type", "boolean"},
                      {"description", "a picture of each tree, as it grows and whole, as SVG"},
                      {"default", false}};
  }
  for (const Option& option : set.options()) {
    if (!option.of_program) fields[field_name(option)] = field_schema(option);
  }
  return fields;
}

Json answers(std::string_view description, const Json& schema) {
  Json error = {
      {"description", "what is wrong, in words"},
      {"content", {{"application/json", {{"schema", {{"$ref", "#/components/schemas/Error"}}}}}}}};
  return {
      {"200",
       {{"description", description}, {"content", {{"application/json", {{"schema", schema}}}}}}},
      {"400", error},
      {"422", error},
      {"429", error},
      {"503", error}};
}

Json post(std::string_view summary, const Json& fields, const Json& answer) {
  return {
      {"post",
       {{"summary", summary},
        {"requestBody",
         {{"required", true},
          {"content",
           {{"application/json",
             {{"schema",
               {{"type", "object"}, {"additionalProperties", false}, {"properties", fields}}}}}}}}},
        {"responses", answers("the answer", answer)}}}};
}

Json get(std::string_view summary, std::string_view type) {
  return {{"get",
           {{"summary", summary},
            {"responses",
             {{"200", {{"description", summary}, {"content", {{type, Json::object()}}}}}}}}}};
}

}  // namespace

Json openapi() {
  Json results = {{"type", "object"},
                  {"properties",
                   {{"model", {{"type", "string"}}},
                    {"results", {{"type", "array"}, {"items", {{"type", "object"}}}}}}}};
  Json paths;
  for (const cli::VerbText& verb :
       {cli::kGenerate, cli::kComplete, cli::kReorder, cli::kTranslate}) {
    std::unique_ptr<ask::WritingTask> task = ask::make_writing_task(verb.name);
    OptionSet set;
    task->declare(set);
    paths[fmt::format("/{}", verb.name)] =
        post(verb.summary, fields_of(verb.name, set, true), results);
  }
  ask::ScoreOptions score;
  OptionSet set;
  score.declare(set);
  Json fields = fields_of("score", set, false);
  fields["source"] = {{"description", "what the text translates; for models that translate"}};
  paths["/score"] = post(cli::ScoreVerb().summary(), fields, results);
  paths["/tokenize"] = post(
      "Split text as a model does.",
      {{"model", {{"type", "string"}}}, {"text", {{"description", input_of("tokenize").help}}}},
      results);
  paths["/v1/completions"] =
      post("Completions in OpenAI's shape.", completion_schema(), {{"type", "object"}});
  paths["/v1/models"] = get("The models that there are.", "application/json");
  paths["/health"] = get("Whether the models are loaded.", "application/json");
  paths["/metrics"] = get("What was counted, for Prometheus.", "text/plain");
  Json error = {{"type", "object"},
                {"properties",
                 {{"error",
                   {{"type", "object"},
                    {"properties",
                     {{"code", {{"type", "integer"}}},
                      {"message", {{"type", "string"}}},
                      {"type", {{"type", "string"}}}}}}}}}};
  return {{"openapi", "3.1.0"},
          {"info",
           {{"title", "bough"},
            {"version", version()},
            {"description", "Sentences written in the order that a model finds best."}}},
          {"paths", paths},
          {"components",
           {{"schemas", {{"Error", error}}},
            {"securitySchemes", {{"key", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
}

}  // namespace bough::server
