// Traces of the real program against docs/trace.schema.json, which docs/formats.md explains.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "golden_root.h"
#include "tiny_models.h"

namespace bough {
namespace {

using Json = nlohmann::json;

bool is_of_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "null") return value.is_null();
  throw std::runtime_error("the schema has a type that the test doesn't know: " + type);
}

/// As much of JSON Schema as the file uses; another keyword in it is an error. It remembers which
/// fields it has met.
class TraceSchema {
 public:
  TraceSchema() : root_(Json::parse(read_file(path()))) {}

  /// What doesn't fit, and where; none for a line that does.
  Words faults(const Json& line) {
    Words faults;
    check(root_, line, "line", faults);
    return faults;
  }

  /// Fields that no line so far had.
  Words fields_not_met() const {
    Words names;
    for_each_object(root_, [&](const Json& schema) {
      for (const auto& field : schema.at("properties").items()) {
        bool met = met_.contains(&schema.at("properties").at(field.key()));
        if (!met) names.push_back(field.key());
      }
    });
    return names;
  }

  /// How many kinds of objects it describes, and how many of them may have other fields.
  std::pair<int, int> objects_and_open_ones() const {
    int objects = 0;
    int open = 0;
    for_each_object(root_, [&](const Json& schema) {
      ++objects;
      bool closed = schema.contains("additionalProperties") &&
                    schema.at("additionalProperties") == Json(false);
      if (!closed) ++open;
    });
    return {objects, open};
  }

 private:
  static fs::path path() { return golden_root() / ".." / ".." / "docs" / "trace.schema.json"; }

  /// Calls `visit` with each part of the schema that describes an object.
  template <typename Visit>
  static void for_each_object(const Json& part, const Visit& visit) {
    if (part.is_object() && part.contains("properties")) visit(part);
    if (!part.is_structured()) return;
    for (const Json& inner : part) for_each_object(inner, visit);
  }

  void check(const Json& schema, const Json& value, const std::string& where, Words& faults) {
    static const std::set<std::string> kRemarks = {"$schema", "$defs", "title", "description"};
    for (const auto& entry : schema.items()) {
      if (kRemarks.contains(entry.key())) continue;
      check_keyword(schema, entry.key(), value, where, faults);
    }
  }

  void check_keyword(const Json& schema, const std::string& keyword, const Json& value,
                     const std::string& where, Words& faults) {
    const Json& operand = schema.at(keyword);
    auto expect = [&](bool good) {
      if (!good) faults.push_back(where + ": " + keyword + " " + operand.dump());
    };
    if (keyword == "$ref") {
      check(root_.at(Json::json_pointer(operand.get<std::string>().substr(1))), value, where,
            faults);
    } else if (keyword == "anyOf") {
      check_any(operand, value, where, faults);
    } else if (keyword == "type") {
      const Json types = operand.is_array() ? operand : Json::array({operand});
      expect(std::any_of(types.begin(), types.end(), [&](const Json& type) {
        return is_of_type(value, type.get<std::string>());
      }));
    } else if (keyword == "const") {
      expect(value == operand);
    } else if (keyword == "enum") {
      expect(std::find(operand.begin(), operand.end(), value) != operand.end());
    } else if (keyword == "minimum") {
      expect(!value.is_number() || value.get<double>() >= operand.get<double>());
    } else if (keyword == "required") {
      for (const Json& name : operand) {
        expect(!value.is_object() || value.contains(name.get<std::string>()));
      }
    } else if (keyword == "properties") {
      check_fields(operand, value, where, faults);
    } else if (keyword == "additionalProperties") {
      if (operand != Json(false)) throw std::runtime_error("the test knows it as false only");
      if (!value.is_object()) return;
      for (const auto& field : value.items()) {
        bool known = schema.at("properties").contains(field.key());
        if (!known) faults.push_back(where + ": no field " + field.key() + " is allowed");
      }
    } else if (keyword == "items") {
      if (!value.is_array()) return;
      for (size_t i = 0; i < value.size(); ++i) {
        check(operand, value[i], where + "[" + std::to_string(i) + "]", faults);
      }
    } else {
      throw std::runtime_error("the schema has a keyword that the test doesn't know: " + keyword);
    }
  }

  void check_any(const Json& choices, const Json& value, const std::string& where, Words& faults) {
    Words all;
    for (const Json& choice : choices) {
      Words own;
      check(choice, value, where, own);
      if (own.empty()) return;
      all = all + own;
    }
    faults = faults + all;
  }

  void check_fields(const Json& fields, const Json& value, const std::string& where,
                    Words& faults) {
    if (!value.is_object()) return;
    for (const auto& field : fields.items()) {
      if (!value.contains(field.key())) continue;
      const Json& schema = fields.at(field.key());
      met_.insert(&schema);
      check(schema, value.at(field.key()), where + "." + field.key(), faults);
    }
  }

  const Json root_;
  std::set<const Json*> met_;  // the parts of root_ that describe fields which were there
};

std::vector<Json> generated(const Words& more) {
  Outcome outcome = bough(Words{"generate", "--model", oracle_model("uniform"), "--quiet",
                                "--threads", "1", "--format", "jsonl"} +
                          more);  // a later --model beats the first
  EXPECT_TRUE(fine(outcome));
  return json_lines(split_lines(outcome.out));
}

/// Traces around given words. The second template can't be met.
std::vector<Json> completed(const Words& more) {
  Outcome outcome = bough(Words{"complete", "--model", oracle_model("uniform"), "--quiet",
                                "--threads", "1", "--format", "jsonl"} +
                              more,
                          "the ___ zebra ___ .\n"
                          "a <blank:3-1> cat\n"
                          "<blank:1-3> bread <blank:2>\n"
                          "{\"token\": \"sings\", \"left\": {\"token\": \"bird\"}}\n");
  EXPECT_TRUE(fine(outcome));
  return json_lines(split_lines(outcome.out));
}

testing::AssertionResult fits(TraceSchema& schema, const Json& line) {
  Words faults = schema.faults(line);
  if (faults.empty()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "not as docs/trace.schema.json says:\n"
                                     << joined(faults) << line.dump();
}

/// What docs/formats.md says and a schema can't.
void expect_laws(const Json& trace) {
  const Json& nodes = trace.at("nodes");
  const Json& actions = trace.at("actions");
  ASSERT_EQ(trace.at("tokens").size(), nodes.size());
  bool with_sides = !nodes.empty() && actions.size() == nodes.size();
  ASSERT_EQ(actions.size(), with_sides ? nodes.size() : 2 * nodes.size() + 1);
  ASSERT_EQ(trace.at("action_logprobs").size(), actions.size());
  ASSERT_EQ(trace.at("action_entropies").size(), actions.size());
  size_t ends = 0;
  for (const Json& action : actions) ends += action == Json("<end>") ? 1 : 0;
  EXPECT_EQ(ends, with_sides ? 0 : nodes.size() + 1);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Json& node = nodes.at(i);
    auto step = node.at("step").get<size_t>();
    EXPECT_EQ(node.at("id").get<size_t>(), i);
    EXPECT_EQ(node.at("token"), trace.at("tokens").at(node.at("position").get<size_t>()));
    EXPECT_EQ(node.at("token"), actions.at(step));
    EXPECT_EQ(node.at("logprob"), trace.at("action_logprobs").at(step));
    EXPECT_EQ(node.at("entropy"), trace.at("action_entropies").at(step));
    EXPECT_EQ(node.at("parent").is_null(), i == 0);
    EXPECT_EQ(node.at("side").is_null(), i == 0);
    if (i == 0) continue;
    const Json& parent = nodes.at(node.at("parent").get<size_t>());
    EXPECT_EQ(node.at("depth").get<int>(), parent.at("depth").get<int>() + 1);
    EXPECT_EQ(node.at("side") == Json("left"),
              node.at("position").get<int>() < parent.at("position").get<int>());
  }
}

TEST(Formats, TracesAreAsTheSchemaSaysAndHaveAllOfItsFields) {
  TraceSchema schema;
  std::vector<Json> lines = generated({"-n", "5", "--alternatives", "2"});
  ASSERT_EQ(lines.size(), 5U);
  for (const Json& line : lines) {
    for (const Json& node : line.at("nodes")) EXPECT_EQ(node.at("alternatives").size(), 2U);
  }
  for (const Words& more :
       {Words{"-n", "2"}, Words{"--nbest", "2"}, Words{"--nbest", "2", "--rerank", "likelihood"}}) {
    std::vector<Json> found = completed(more);
    ASSERT_GE(found.size(), 4U);
    lines.insert(lines.end(), found.begin(), found.end());
  }
  fs::path with_sides = TinyModels::shared().with({"--oracle", "uniform", "--shape", "arity"});
  for (const Json& line : generated({"-n", "5", "--model", with_sides})) lines.push_back(line);
  size_t errors = 0;
  for (const Json& line : lines) {
    EXPECT_TRUE(fits(schema, line));
    if (line.contains("error")) {
      ++errors;
    } else {
      expect_laws(line);
    }
  }
  EXPECT_EQ(errors, 3U);
  EXPECT_EQ(schema.fields_not_met(), Words{});
}

TEST(Formats, TheSchemaAllowsNoOtherFields) {
  auto [objects, open] = TraceSchema().objects_and_open_ones();
  EXPECT_EQ(objects, 4);
  EXPECT_EQ(open, 0);
}

TEST(Formats, WhatIsNoTraceDoesNotFitTheSchema) {
  TraceSchema schema;
  std::vector<Json> lines = generated({"-n", "1", "--alternatives", "1"});
  ASSERT_EQ(lines.size(), 1U);
  const Json& trace = lines.front();
  ASSERT_TRUE(fits(schema, trace));
  auto is_refused = [&](auto change) {
    Json changed = trace;
    change(changed);
    return !schema.faults(changed).empty();
  };
  EXPECT_TRUE(is_refused([](Json& line) { line["version"] = 2; }));
  EXPECT_TRUE(is_refused([](Json& line) { line["more"] = 1; }));
  EXPECT_TRUE(is_refused([](Json& line) { line["error"] = "both"; }));
  EXPECT_TRUE(is_refused([](Json& line) { line.erase("nodes"); }));
  EXPECT_TRUE(is_refused([](Json& line) { line["tokens"] = "words"; }));
  EXPECT_TRUE(is_refused([](Json& line) { line["actions"][0] = 5; }));
  EXPECT_TRUE(is_refused([](Json& line) { line["nodes"][0]["more"] = 1; }));
  EXPECT_TRUE(is_refused([](Json& line) { line["nodes"][0].erase("step"); }));
  EXPECT_TRUE(is_refused([](Json& line) { line["nodes"][0]["depth"] = -1; }));
  EXPECT_TRUE(is_refused([](Json& line) { line["nodes"][0]["step"] = 0.5; }));
  EXPECT_TRUE(is_refused([](Json& line) { line["nodes"][0]["side"] = "up"; }));
  EXPECT_TRUE(is_refused([](Json& line) { line["nodes"][0]["given"] = false; }));
  EXPECT_TRUE(is_refused([](Json& line) { line["nodes"][0]["alternatives"][0]["more"] = 1; }));
  EXPECT_TRUE(is_refused([](Json& line) { line = Json::array({line}); }));
}

/// The same sentences in another format are the same data, byte-pair codes or not.
TEST(Formats, ListsOfWordsAreCutIntoPiecesAsTextIs) {
  TempFolder folder;
  std::string jsonl;
  for (const std::string& sentence : tiny_sentences()) {
    std::istringstream stream(sentence);
    nlohmann::json words = nlohmann::json::array();
    for (std::string word; stream >> word;) words.push_back(word);
    jsonl += nlohmann::json{{"tokens", words}}.dump() + "\n";
  }
  put(folder.path() / "valid.jsonl", jsonl);
  fs::path corpus = TinyModels::shared().corpus();
  std::vector<double> losses;
  for (const fs::path& valid : {corpus, folder.path() / "valid.jsonl"}) {
    fs::path out = folder.path() / std::to_string(losses.size());
    ASSERT_TRUE(fine(bough(tiny_train(
        corpus, out, {"--bpe-merges", "10", "--updates", "20", "--quiet", "--valid", valid}))));
    losses.push_back(json_lines(lines_of(out / "metrics.jsonl")).back().at("valid_loss"));
  }
  EXPECT_EQ(losses[0], losses[1]);
}

TEST(Formats, ErrorObjectsAreNoTraces) {
  TempFolder folder;
  Outcome traces = bough({"complete", "--model", oracle_model("uniform"), "--format", "jsonl",
                          "--max-length", "3", "--quiet"},
                         "the ___\nthe old dog sleeps ___\n");
  ASSERT_TRUE(fine(traces));
  EXPECT_TRUE(has(traces.out, "\"error\""));
  put(folder.path() / "traces.jsonl", traces.out);
  Outcome analyzed = bough({"analyze", "--traces", folder.path() / "traces.jsonl"});
  ASSERT_TRUE(fine(analyzed));
  EXPECT_EQ(nlohmann::json::parse(analyzed.out)[0].at("trees"), 1);
}

}  // namespace
}  // namespace bough
