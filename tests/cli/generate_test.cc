// `bough generate` and `bough info` with real, tiny models.
#include <algorithm>
#include <cmath>
#include <deque>
#include <nlohmann/json.hpp>
#include <set>

#include "tiny_models.h"

namespace bough {
namespace {

using Json = nlohmann::json;

/// `bough generate` on one thread and without a word on standard error; later options beat these.
Words generate_call(const fs::path& model, const Words& more = {}) {
  return Words{"generate", "--model", model, "--threads", "1", "--quiet"} + more;
}

fs::path model() {
  return oracle_model("uniform");
}

/// What each of the calls writes to standard output; nothing may be said beside it.
Words outputs_of(const std::vector<Words>& calls) {
  Words outputs;
  for (const Outcome& outcome : bough_each(calls)) {
    EXPECT_TRUE(fine(outcome));
    EXPECT_EQ(without_blas_warning(outcome.err), "");
    outputs.push_back(outcome.out);
  }
  return outputs;
}

std::set<std::string> keys_of(const Json& object) {
  std::set<std::string> keys;
  for (const auto& item : object.items()) keys.insert(item.key());
  return keys;
}

/// Reads the actions again, level by level, and compares each node with the slot it fills.
void expect_actions_make_the_tree(const Json& trace) {
  struct Slot {
    Json parent;
    Json side;
    int depth;
  };
  std::deque<Slot> open = {{nullptr, nullptr, 0}};
  const Json& actions = trace["actions"];
  size_t words = 0;
  for (size_t step = 0; step < actions.size(); ++step) {
    ASSERT_FALSE(open.empty()) << "an action too many";
    Slot slot = open.front();
    open.pop_front();
    bool is_node = words < trace["nodes"].size() && trace["nodes"][words]["step"] == step;
    if (!is_node) {
      EXPECT_EQ(actions[step], "<end>");
      continue;
    }
    const Json& node = trace["nodes"][words];
    EXPECT_EQ(node["id"], words);
    EXPECT_EQ(node["token"], actions[step]);
    EXPECT_EQ(node["parent"], slot.parent);
    EXPECT_EQ(node["side"], slot.side);
    EXPECT_EQ(node["depth"], slot.depth);
    open.push_back({words, "left", slot.depth + 1});
    open.push_back({words, "right", slot.depth + 1});
    ++words;
  }
  EXPECT_TRUE(open.empty()) << "a slot was left open";
  EXPECT_EQ(words, trace["nodes"].size());
}

void read_in_order(const Json& nodes, const Json& parent, const char* side, Words& words) {
  for (const Json& node : nodes) {
    bool here = node["parent"] == parent && (parent.is_null() || node["side"] == side);
    if (!here) continue;
    read_in_order(nodes, node["id"], "left", words);
    EXPECT_EQ(node["position"], words.size());
    words.push_back(node["token"]);
    read_in_order(nodes, node["id"], "right", words);
  }
}

/// All that the contract says of a trace.
void expect_whole_trace(const Json& trace) {
  SCOPED_TRACE(trace.dump());
  ASSERT_EQ(keys_of(trace), (std::set<std::string>{"version", "text", "tokens", "nodes", "actions",
                                                   "logprob", "finished", "action_logprobs",
                                                   "action_entropies", "vocabulary"}));
  EXPECT_EQ(trace["version"], 1);
  size_t count = trace["tokens"].size();
  ASSERT_GT(count, 0U);
  ASSERT_EQ(trace["nodes"].size(), count);
  EXPECT_EQ(trace["actions"].size(), 2 * count + 1);
  EXPECT_TRUE(trace["finished"].is_boolean());
  double sum = 0.0;
  for (const Json& node : trace["nodes"]) {
    ASSERT_EQ(keys_of(node), (std::set<std::string>{"id", "token", "position", "depth", "parent",
                                                    "side", "step", "logprob", "entropy"}));
    EXPECT_LE(node["logprob"].get<double>(), 0.0);
    EXPECT_GE(node["entropy"].get<double>(), 0.0);
    sum += node["logprob"].get<double>();
  }
  EXPECT_LE(trace["logprob"].get<double>(), sum + 1e-3) << "the <end>s count too";
  double all = 0.0;
  for (double logprob : trace["action_logprobs"]) all += logprob;
  EXPECT_NEAR(trace["logprob"].get<double>(), all, 1e-3);
  EXPECT_EQ(trace["action_entropies"].size(), trace["actions"].size());
  expect_actions_make_the_tree(trace);
  Words words;
  read_in_order(trace["nodes"], nullptr, "", words);
  EXPECT_EQ(Json(words), trace["tokens"]);
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  EXPECT_EQ(trace["text"], text);
}

using Traces = std::vector<Json>;

/// The traces that each of the calls writes, all of them whole.
std::vector<Traces> traces_of(std::vector<Words> calls) {
  for (Words& call : calls) call = call + Words{"--format", "jsonl"};
  std::vector<Traces> all;
  for (const std::string& output : outputs_of(calls)) {
    all.push_back(json_lines(split_lines(output)));
    for (const Json& trace : all.back()) expect_whole_trace(trace);
  }
  return all;
}

// ---- formats and places

TEST(Generate, WritesNSentencesOfKnownWordsToStandardOutput) {
  Outcome outcome = bough({"generate", "--model", model(), "-n", "20", "--threads", "1"});
  ASSERT_TRUE(fine(outcome));
  EXPECT_TRUE(has(outcome.err, "seed 1"));
  Words lines = split_lines(outcome.out);
  EXPECT_EQ(lines.size(), 20U);
  EXPECT_GT(std::set<std::string>(lines.begin(), lines.end()).size(), 1U);
  Words vocabulary = lines_of(model() / "vocab.txt");
  std::set<std::string> known(vocabulary.begin() + 5, vocabulary.end());  // without the specials
  for (const std::string& line : lines) {
    EXPECT_FALSE(line.empty());
    std::istringstream words(line);
    for (std::string word; words >> word;) EXPECT_TRUE(known.contains(word)) << word;
  }
}

TEST(Generate, FormatsShowTheSameSentences) {
  Words call = generate_call(model(), {"-n", "6", "--seed", "3"});
  Words outputs = outputs_of({call, call + Words{"--format", "tree"}});
  Words texts = split_lines(outputs[0]);
  const std::string& drawn = outputs[1];
  Traces traces = traces_of({call})[0];
  ASSERT_EQ(texts.size(), 6U);
  ASSERT_EQ(traces.size(), 6U);
  size_t at = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(traces[i]["text"], texts[i]);
    at = drawn.find(texts[i] + "\n", at);
    ASSERT_NE(at, std::string::npos) << texts[i] << " is not, or not in order, in " << drawn;
    at += texts[i].size();
    for (const Json& token : traces[i]["tokens"]) {
      EXPECT_NE(drawn.find(token.get<std::string>(), at), std::string::npos) << token;
    }
  }
}

TEST(Generate, WritesToAFilePlainOrZippedAndNothingForNoSentences) {
  TempFolder folder;
  fs::path plain = folder.path() / "a.txt";
  fs::path zipped = folder.path() / "a.txt.gz";
  Words outputs = outputs_of(
      {generate_call(model(), {"-n", "5"}), generate_call(model(), {"-n", "5", "-o", plain}),
       generate_call(model(), {"-n", "5", "-o", zipped}), generate_call(model(), {"-n", "0"})});
  EXPECT_EQ(split_lines(outputs[0]).size(), 5U);
  EXPECT_EQ(outputs[1] + outputs[2] + outputs[3], "");
  EXPECT_EQ(read_file(plain), outputs[0]);
  EXPECT_EQ(read_file(zipped).substr(0, 2), "\x1f\x8b");
  LineReader reader(zipped);
  std::string unzipped;
  for (std::string line; reader.next(line);) unzipped += line + "\n";
  EXPECT_EQ(unzipped, outputs[0]);
}

TEST(Generate, APlaceThatCannotBeWrittenIsNamed) {
  TempFolder folder;
  fs::path lost = folder.path() / "no such folder" / "a.txt";
  expect_refused({{generate_call(model(), {"-o", lost}), 3, {lost}},
                  {generate_call(model(), {"-o", "/dev/full"}), 1, {"/dev/full", "space"}}});
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

// ---- what is drawn

TEST(Generate, TheSameSeedGivesTheSameBytesWhateverTheBatchAndTheThreads) {
  Words call = generate_call(model(), {"-n", "40", "--format", "jsonl"});
  Words outputs = outputs_of(
      {call, call + Words{"--batch-size", "1"}, call + Words{"--batch-size", "7"},
       call + Words{"--batch-size", "64", "--threads", "2"},
       call + Words{"--batch-size", "7", "--threads", "2"}, call + Words{"--seed", "2"}});
  EXPECT_EQ(split_lines(outputs[0]).size(), 40U);
  for (size_t i = 1; i < 5; ++i) EXPECT_TRUE(same_output(outputs[i], outputs[0])) << "call " << i;
  EXPECT_FALSE(outputs[5] == outputs[0]) << "another seed should give other sentences";
}

TEST(Generate, GreedyAndTheNarrowestSamplingAgree) {
  Words call = generate_call(oracle_model("left-right"), {"-n", "3"});
  Words outputs = outputs_of({call, call + Words{"--decode", "greedy"},
                              call + Words{"--top-k", "1"}, call + Words{"--top-p", "0"}});
  EXPECT_NE(outputs[0], outputs[1]);
  EXPECT_EQ(outputs[2], outputs[1]);
  EXPECT_EQ(outputs[3], outputs[1]);
  Words lines = split_lines(outputs[1]);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], lines[1]);
  EXPECT_EQ(lines[0], lines[2]);
}

TEST(Generate, TemperatureAndTruncationChangeTheSpreadOfWords) {
  Words call = generate_call(model(), {"-n", "100", "--max-length", "2"});
  std::vector<size_t> distinct;
  for (const Traces& traces :
       traces_of({call, call + Words{"--temperature", "50"}, call + Words{"--top-k", "3"},
                  call + Words{"--top-p", "0.3"}})) {
    std::set<std::string> first_words;
    for (const Json& trace : traces) first_words.insert(trace["actions"][0].get<std::string>());
    distinct.push_back(first_words.size());
  }
  EXPECT_GT(distinct[1], distinct[0]);
  EXPECT_LE(distinct[2], 3U);
  EXPECT_LT(distinct[3], distinct[0]);
}

TEST(Generate, BoundsHoldAndLeaveWholeTrees) {
  auto traces = traces_of({generate_call(model(), {"-n", "40", "--max-length", "3"}),
                           generate_call(model(), {"-n", "40", "--max-depth", "2"})});
  auto unfinished = [](const Traces& some) {
    return std::count_if(some.begin(), some.end(),
                         [](const Json& trace) { return trace["finished"] == false; });
  };
  for (const Json& trace : traces[0]) {
    EXPECT_LE(trace["tokens"].size(), 3U);
    EXPECT_TRUE(trace["tokens"].size() == 3 || trace["finished"] == true) << trace;
  }
  EXPECT_GT(unfinished(traces[0]), 0);
  for (const Json& trace : traces[1]) {
    for (const Json& node : trace["nodes"]) EXPECT_LT(node["depth"], 2);
  }
  EXPECT_GT(unfinished(traces[1]), 0);
}

TEST(Generate, TheEndHeadStopsByItsThreshold) {
  fs::path head = TinyModels::shared().with({"--oracle", "uniform", "--end-head"});
  auto traces = traces_of(
      {generate_call(head, {"-n", "20"}), generate_call(head, {"-n", "5", "--end-threshold", "0"}),
       generate_call(head, {"-n", "5", "--end-threshold", "1", "--max-length", "6"})});
  EXPECT_EQ(traces[0].size(), 20U);
  for (const Json& trace : traces[1]) {
    EXPECT_EQ(trace["tokens"].size(), 1U);
    EXPECT_EQ(trace["finished"], true);
  }
  for (const Json& trace : traces[2]) {
    EXPECT_EQ(trace["tokens"].size(), 6U);
    EXPECT_EQ(trace["finished"], false);
  }
}

/// All words but the first hang on this side.
void expect_chains(const Traces& traces, const char* side) {
  size_t longest = 0;
  for (const Json& trace : traces) {
    longest = std::max(longest, trace["nodes"].size());
    for (size_t i = 1; i < trace["nodes"].size(); ++i) {
      EXPECT_EQ(trace["nodes"][i]["side"], side) << trace["text"];
    }
  }
  EXPECT_GE(longest, 4U);
}

TEST(Generate, ALeftRightModelMakesRightChainsAndARightLeftModelLeftOnes) {
  const Words cool = {"-n", "30", "--temperature", "0.3"};
  auto model_of = [](const char* oracle) {
    return TinyModels::shared().with(Words{"--oracle", oracle} + by_heart());
  };
  auto traces = traces_of(
      {generate_call(model_of("left-right"), cool), generate_call(model_of("right-left"), cool)});
  expect_chains(traces[0], "right");
  expect_chains(traces[1], "left");
}

TEST(Generate, SearchesAndVotes) {
  Outcome search = bough(generate_call(model(), {"--beam-size", "5", "-n", "3"}));
  ASSERT_TRUE(fine(search));
  std::set<std::string> different;
  for (const std::string& line : split_lines(search.out)) different.insert(line);
  EXPECT_EQ(different.size(), 3U);
  Outcome votes = bough(generate_call(model(), {"--mbr", "4", "-n", "3"}));
  ASSERT_TRUE(fine(votes));
  EXPECT_EQ(split_lines(votes.out).size(), 3U);
  expect_refused({{generate_call(model(), {"--beam-size", "2", "-n", "3"}), 2, {"--beam-size"}}});
}

TEST(Generate, NBestListsHaveScoresInTheFormOfAllVerbs) {
  for (const Words& way : {Words{"--beam-size", "5"}, Words{}, Words{"--mbr", "12"}}) {
    Words list = way + Words{"--nbest", "3"};
    auto outcomes = bough_each(
        {generate_call(model(), list), generate_call(model(), list + Words{"--format", "jsonl"})});
    ASSERT_TRUE(fine(outcomes[0]));
    ASSERT_TRUE(fine(outcomes[1]));
    Words lines = split_lines(outcomes[0].out);
    auto traces = json_lines(split_lines(outcomes[1].out));
    ASSERT_EQ(lines.size(), traces.size());
    ASSERT_GE(lines.size(), 2U);
    for (size_t i = 0; i < lines.size(); ++i) {
      EXPECT_EQ(
          lines[i],
          fmt::format("0 ||| {} ||| F0= {:.5f} ||| {:.5f}", traces[i].at("text").get<std::string>(),
                      traces[i].at("logprob").get<double>(), traces[i].at("score").get<double>()));
      if (i > 0) {
        EXPECT_LE(traces[i].at("score"), traces[i - 1].at("score"));
      }
    }
  }
}

// ---- info

TEST(Info, SaysWhatAModelIs) {
  auto outcomes = bough_each({{"info", "--model", model(), "--json", "--threads", "1", "--quiet"},
                              {"info", "--model", model(), "--threads", "1"}});
  ASSERT_TRUE(fine(outcomes[0]));
  EXPECT_EQ(without_blas_warning(outcomes[0].err), "");
  Json info = Json::parse(outcomes[0].out);
  EXPECT_EQ(info["task"], "lm");
  EXPECT_EQ(info["policy"], "lstm");
  EXPECT_EQ(info["layers"], 1);
  EXPECT_EQ(info["hidden_size"], 16);
  EXPECT_EQ(info["embedding_size"], 8);
  EXPECT_EQ(info["vocabulary"], lines_of(model() / "vocab.txt").size());
  EXPECT_EQ(info["training"]["oracle"], "uniform");
  EXPECT_EQ(info["epochs"].size(), 3U);
  EXPECT_EQ(info["self_test"]["passed"], true);
  size_t bytes = 0;
  for (const auto& [name, tensor] : tensors_of(model() / "model.safetensors")) {
    bytes += tensor.size();
  }
  EXPECT_EQ(info["parameters"], bytes / sizeof(float));
  ASSERT_TRUE(fine(outcomes[1]));
  for (const char* part :
       {"task", "lstm", "16", "vocabulary", "uniform", "epoch 3", "self-test", "passed"}) {
    EXPECT_TRUE(has(outcomes[1].out, part));
  }
}

}  // namespace
}  // namespace bough
