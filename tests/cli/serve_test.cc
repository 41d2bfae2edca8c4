// `bough serve`: every route through the real server, with answers that are the command line's.
#include <future>

#include "server.h"

namespace bough {
namespace {

class Serve : public ServerTest {};

TEST_F(Serve, AnswersAsTheCommandLineDoes) {
  struct Way {
    Words options;
    Json fields;
  };
  const std::vector<Way> ways = {
      {{"-n", "4", "--seed", "7"}, {{"n", 4}, {"seed", 7}}},
      {{"-n", "3", "--top-k", "4", "--temperature", "0.5", "--max-length", "6", "--alternatives",
        "2"},
       {{"n", 3}, {"top_k", 4}, {"temperature", 0.5}, {"max_length", 6}, {"alternatives", 2}}},
      {{"-n", "2", "--beam-size", "4"}, {{"n", 2}, {"beam_size", 4}}},
      {{"--mbr", "5"}, {{"mbr", 5}}},
      {{"--nbest", "2", "--rerank", "likelihood", "--rerank-samples", "4"},
       {{"nbest", 2}, {"rerank", "likelihood"}, {"rerank_samples", 4}}}};
  for (const Way& way : ways) {
    expect_results(server_->ask("/generate", way.fields),
                   lines_of(Words{"generate", "--model", lm(), "--format", "jsonl"} + way.options));
  }
}

TEST_F(Serve, CompletesAsTheCommandLineDoes) {
  Words command = {"complete", "--model", lm(), "--format", "jsonl"};
  expect_results(server_->ask("/complete", {{"template", "the ___ ."}}),
                 lines_of(command, "the ___ .\n"));
  expect_results(
      server_->ask("/complete", {{"template", {"the ___ .", "<blank:1-2> dog ___"}}, {"n", 2}}),
      lines_of(command + Words{"-n", "2"}, "the ___ .\n<blank:1-2> dog ___\n"));
  expect_results(
      server_->ask("/complete", {{"must", "dog, bird"}, {"any_order", true}, {"avoid", "the"}}),
      lines_of(command + Words{"--must", "dog, bird", "--any-order", "--avoid", "the"}));
  Json tree = {{"token", "dog"}, {"left", {{"token", "the"}, {"left", "<end>"}}}};
  expect_results(server_->ask("/complete", {{"template", tree}}),
                 lines_of(command, tree.dump() + "\n"));
}

TEST_F(Serve, ReordersAndTranslatesAsTheCommandLineDoes) {
  Words command = {"reorder", "--model", orderer(), "--format", "jsonl", "--exact"};
  std::vector<Json> one = lines_of(command, "sleeps dog the .\n");
  expect_results(server_->ask("/reorder", {{"words", "sleeps dog the ."}, {"exact", true}}), one);
  expect_results(
      server_->ask("/reorder", {{"words", {"sleeps", "dog", "the", "."}}, {"exact", true}}), one);
  expect_results(
      server_->ask("/reorder", {{"words", {"sleeps dog the .", "a cat"}}, {"exact", true}}),
      lines_of(command, "sleeps dog the .\na cat\n"));
  expect_results(
      server_->ask("/translate",
                   {{"source", {"she reads a long letter .", "a cat ."}}, {"beam_size", 3}}),
      lines_of({"translate", "--model", translator(), "--format", "jsonl", "--beam-size", "3"},
               "she reads a long letter .\na cat .\n"));
}

TEST_F(Serve, ScoresAsTheCommandLineDoes) {
  std::string text = "the old dog sleeps .\nwe walk .\n";
  expect_results(
      server_->ask("/score", {{"text", {"the old dog sleeps .", "we walk ."}}, {"samples", 8}}),
      lines_of({"score", "--model", lm(), "--samples", "8"}, text));
  expect_results(server_->ask("/score", {{"text", "we walk ."}, {"by_word", true}, {"others", 2}}),
                 lines_of({"score", "--model", lm(), "--by-word", "--others", "2"}, "we walk .\n"));
  TempFolder folder;
  put(folder.path() / "source", "she sings\n");
  expect_results(server_->ask("/score", {{"model", name_of(translator())},
                                         {"text", "she sings"},
                                         {"source", "she sings"}}),
                 lines_of({"score", "--model", translator(), "--source", folder.path() / "source"},
                          "she sings\n"));
}

TEST_F(Serve, ARootLeavesTheServersBoundsAsTheyAre) {
  Server small({"--model", translator(), "--most-words", "4"});
  Server::Answer answer = small.ask(
      "/translate",
      {{"source", "a cat ."}, {"root", "dog"}, {"decode", "sample"}, {"temperature", 1000}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_LE(answer.body["results"][0]["tokens"].size(), 4U);
  EXPECT_EQ(
      small.ask("/translate", {{"source", "a cat ."}, {"root", "dog"}, {"min_length", 4}}).status,
      200);
}

TEST_F(Serve, CompanyChangesNoAnswer) {
  auto question = [](int seed) {
    return Json{{"seed", seed}, {"n", 1 + seed % 4}, {"min_length", seed % 7}, {"max_length", 30}};
  };
  constexpr int kQuestions = 24;
  std::vector<Json> alone;
  for (int seed = 0; seed < kQuestions; ++seed) {
    alone.push_back(server_->ask("/generate", question(seed)).body);
  }
  std::vector<std::future<Json>> together;
  for (int seed = 0; seed < kQuestions; ++seed) {
    together.push_back(std::async(std::launch::async, [&, seed] {
      server_->ask("/score", {{"text", "a cat hides ."}, {"samples", 1 + seed}});
      return server_->ask("/generate", question(seed)).body;
    }));
  }
  for (size_t seed = 0; seed < kQuestions; ++seed) {
    Json answer = together[seed].get();
    if (!rows_know_each_other()) {
      EXPECT_EQ(answer, alone[seed]) << seed;
    }
  }
}

TEST_F(Serve, StreamsTheTreeAsItGrows) {
  for (const Json& fields : {Json{{"n", 3}, {"seed", 5}}, Json{{"n", 2}, {"beam_size", 3}}}) {
    Json results = server_->ask("/generate", fields).body.at("results");
    std::vector<Words> sentences(results.size());
    std::vector<Json> done(results.size());
    Json streamed = fields;
    streamed["stream"] = true;
    server_->stream("/generate", streamed, [&](const std::string& data) {
      Json event = Json::parse(data);
      auto result = event.at("result").get<size_t>();
      if (event.at("op") == "done") {
        done[result] = event;
        return true;
      }
      EXPECT_EQ(event.at("op"), "insert");
      EXPECT_TRUE(done[result].is_null());
      Words& words = sentences[result];
      EXPECT_EQ(event.at("node").get<size_t>(), words.size());
      words.insert(words.begin() + event.at("index").get<int64_t>(), event.at("token"));
      return true;
    });
    for (size_t i = 0; i < results.size(); ++i) {
      EXPECT_EQ(Json(sentences[i]), results[i].at("tokens"));
      EXPECT_EQ(done[i].at("text"), results[i].at("text"));
      EXPECT_EQ(done[i].at("trace"), results[i]);
    }
  }
}

TEST_F(Serve, HasOpenAIsShape) {
  Json asked = {{"model", name_of(lm())},
                {"prompt", "the"},
                {"suffix", "."},
                {"n", 2},
                {"seed", 3},
                {"logprobs", 2},
                {"top_p", 0.9},
                {"temperature", 0.8},
                {"max_tokens", 5},
                {"presence_penalty", 0}};
  Json answer = server_->ask("/v1/completions", asked).body;
  EXPECT_EQ(answer.at("object"), "text_completion") << answer;
  ASSERT_EQ(answer.at("choices").size(), 2U);
  std::vector<Json> lines = lines_of({"complete", "--model", lm(), "--format", "jsonl", "--seed",
                                      "3", "--top-p", "0.9", "--temperature", "0.8"},
                                     "the <blank:-5> .\nthe <blank:-5> .\n");
  for (size_t i = 0; i < 2; ++i) {
    const Json& choice = answer["choices"][i];
    EXPECT_EQ(choice.at("index"), i);
    if (!rows_know_each_other()) {
      EXPECT_EQ(split_lines("the" + choice.at("text").get<std::string>() + " ."),
                Words{lines[i].at("text")});
    }
    const Json& offsets = choice.at("logprobs").at("text_offset");
    for (size_t word = 0; word < offsets.size(); ++word) {
      std::string behind = choice["text"].get<std::string>().substr(offsets[word]);
      EXPECT_TRUE(behind.starts_with(choice["logprobs"]["tokens"][word].get<std::string>()));
    }
    size_t words = choice.at("logprobs").at("tokens").size();
    EXPECT_LE(words, 5U);
    EXPECT_EQ(choice["logprobs"].at("token_logprobs").size(), words);
    if (words > 0) {
      EXPECT_EQ(choice["logprobs"].at("top_logprobs")[0].size(), 2U);
    }
  }
  Words streamed;
  asked["stream"] = true;
  server_->stream("/v1/completions", asked, [&](const std::string& data) {
    streamed.push_back(data == "[DONE]" ? data : Json::parse(data)["choices"][0]["text"].dump());
    return true;
  });
  EXPECT_EQ(streamed, (Words{answer["choices"][0]["text"].dump(),
                             answer["choices"][1]["text"].dump(), "[DONE]"}));
  asked["stream_options"] = {{"include_usage", true}};
  std::vector<Json> pieces;
  server_->stream("/v1/completions", asked, [&](const std::string& data) {
    if (data != "[DONE]") pieces.push_back(Json::parse(data));
    return true;
  });
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_TRUE(pieces[0].at("usage").is_null());
  EXPECT_TRUE(pieces[2].at("choices").empty());
  EXPECT_EQ(pieces[2].at("usage"), answer.at("usage"));
  asked = {{"model", name_of(lm())}, {"prompt", {"the ", "a"}}, {"seed", 3}, {"suffix", "."}};
  Json two = server_->ask("/v1/completions", asked).body.at("choices");
  ASSERT_EQ(two.size(), 2U);
  EXPECT_FALSE(two[0]["text"].get<std::string>().starts_with(" ")) << two;
  EXPECT_NE(server_->ask("/v1/completions", {{"prompt", "a"}}).body.at("seed"),
            server_->ask("/v1/completions", {{"prompt", "a"}}).body.at("seed"));
  EXPECT_EQ(
      server_->ask("/v1/completions", {{"model", name_of(translator())}, {"prompt", "a cat ."}})
          .status,
      200);
}

TEST_F(Serve, SaysWhatThereIs) {
  EXPECT_EQ(server_->get("/health").status, 200);
  Json models = server_->get("/v1/models").body.at("data");
  ASSERT_EQ(models.size(), 3U);
  EXPECT_EQ(models[0].at("id"), name_of(lm()));
  EXPECT_EQ(models[1].at("task"), "reorder");
  Json tokens = server_->ask("/tokenize", {{"text", "the dog ."}}).body.at("results")[0];
  EXPECT_EQ(tokens.at("tokens"), (Json{"the", "dog", "."}));
  EXPECT_EQ(tokens.at("ids").size(), 3U);
  EXPECT_GT(server_->metric("bough_requests_total"), 0.0);
  EXPECT_GT(server_->metric("bough_words_total"), 0.0);
  auto page = server_->client().Get("/");
  ASSERT_TRUE(page);
  EXPECT_TRUE(has(page->body, "<title>bough</title>"));
}

TEST_F(Serve, DescribesTheFieldsThatItTakes) {
  Json paths = server_->get("/openapi.json").body.at("paths");
  std::map<std::string, Json> inputs = {{"/generate", {}},
                                        {"/complete", {{"template", "the ___"}}},
                                        {"/reorder", {{"words", "a b"}}},
                                        {"/translate", {{"source", "a b"}}},
                                        {"/score", {{"text", "a b"}}}};
  for (const auto& [path, input] : inputs) {
    Json fields = paths.at(path)
                      .at("post")
                      .at("requestBody")
                      .at("content")
                      .at("application/json")
                      .at("schema")
                      .at("properties");
    EXPECT_TRUE(fields.contains("seed")) << path;
    for (const char* local :
         {"output", "input", "threads", "rerank_model", "config", "batch_size"}) {
      EXPECT_FALSE(fields.contains(local)) << path << " " << local;
      Json body = input.is_null() ? Json::object() : input;
      body[local] = "1";
      EXPECT_EQ(server_->ask(path, body).status, 400) << path << " " << local;
    }
    // All fields at their defaults are a good request, but for texts, which may be left out only.
    Json body = input.is_null() ? Json::object() : input;
    for (const auto& [name, field] : fields.items()) {
      if (field.contains("default") && field["default"] != "") body[name] = field["default"];
    }
    for (const char* other : {"rerank_samples", "rerank_among", "others", "max_length"})
      body.erase(other);
    EXPECT_EQ(server_->ask(path, body).status, 200) << path << server_->ask(path, body).body;
  }
}

}  // namespace
}  // namespace bough
