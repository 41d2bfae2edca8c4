// `bough serve`: every route through the real server, answers that are the command line's, and what
// becomes of bad, large, abandoned and too many requests.
#include <httplib.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <future>
#include <latch>

#include "tiny_models.h"

namespace bough {
namespace {

using Json = nlohmann::json;

/// Without kernels of our own, rounding may differ with the company of a row.
bool rows_know_each_other() {
  const char* kernels = std::getenv("BOUGH_KERNELS");
  return kernels != nullptr && std::string_view(kernels) == "plain";
}

fs::path lm() {
  return TinyModels::shared().with({"--oracle", "uniform"});
}

fs::path orderer() {
  return TinyModels::shared().with({"--task", "reorder", "--oracle", "uniform"});
}

/// It translates the tiny sentences into themselves.
fs::path translator() {
  std::string corpus = TinyModels::shared().corpus();
  return TinyModels::shared().with({"--task", "translate", "--source-train", corpus,
                                    "--source-valid", corpus, "--policy", "transformer",
                                    "--hidden-size", "32", "--embedding-size", "32", "--heads", "2",
                                    "--feed-forward", "64", "--bpe-merges", "60"});
}

/// A server on a port of its own, which is ready.
class Server {
 public:
  explicit Server(const Words& options, const Words& environment = {})
      : program_(Words{"serve", "--port", "0", "--threads", "1"} + options, "", environment) {
    EXPECT_TRUE(wait_for(program_, [&] { return has(program_.said(), "ready"); }))
        << program_.said();
    std::string said = program_.said();
    constexpr std::string_view kBefore = "listening on http://127.0.0.1:";
    port_ = std::stoi(said.substr(said.find(kBefore) + kBefore.size()));
  }

  int port() const { return port_; }
  Program& program() { return program_; }

  httplib::Client client() const {
    httplib::Client client("127.0.0.1", port_);
    client.set_read_timeout(600);
    return client;
  }

  struct Answer {
    int status = 0;
    Json body;
    httplib::Headers headers;
  };

  Answer post(const std::string& path, const std::string& body,
              const httplib::Headers& headers = {}) const {
    auto result = client().Post(path, headers, body, "application/json");
    if (!result) return {};
    return {result->status, Json::parse(result->body, nullptr, false), result->headers};
  }
  Answer ask(const std::string& path, const Json& body) const { return post(path, body.dump()); }

  Answer get(const std::string& path, const httplib::Headers& headers = {}) const {
    auto result = client().Get(path, headers);
    if (!result) return {};
    return {result->status, Json::parse(result->body, nullptr, false), result->headers};
  }

  /// The value of a metric; the sum where it has labels.
  double metric(const std::string& name) const {
    auto result = client().Get("/metrics");
    double sum = 0.0;
    for (const std::string& line : split_lines(result ? result->body : "")) {
      if (!line.starts_with(name) || !(line[name.size()] == ' ' || line[name.size()] == '{'))
        continue;
      sum += std::stod(line.substr(line.rfind(' ') + 1));
    }
    return sum;
  }

  /// The events of a stream, as they come, until `more` says no.
  void stream(const std::string& path, const Json& body,
              const std::function<bool(const std::string& data)>& more) const {
    httplib::Client own = client();
    httplib::Request request;
    request.method = "POST";
    request.path = path;
    request.headers = {{"Content-Type", "application/json"}};
    request.body = body.dump();
    std::string buffer;
    request.content_receiver = [&](const char* data, size_t size, uint64_t, uint64_t) {
      buffer.append(data, size);
      for (size_t end = buffer.find("\n\n"); end != std::string::npos; end = buffer.find("\n\n")) {
        std::string event = buffer.substr(0, end);
        buffer.erase(0, end + 2);
        if (!event.starts_with("data: ") || !more(event.substr(6))) return false;
      }
      return true;
    };
    own.send(request);
  }

 private:
  Program program_;
  int port_ = 0;
};

/// One server for most tests.
class Serve : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = std::make_unique<Server>(
        Words{"--model", lm(), "--model", orderer(), "--model", translator(), "--batch-size", "3"});
  }
  static void TearDownTestSuite() { server_.reset(); }

  static std::string name_of(const fs::path& model) { return model.filename(); }

  /// What the command prints as JSON lines.
  static std::vector<Json> lines_of(const Words& command, const std::string& input = "") {
    Outcome outcome = bough(command + Words{"--quiet", "--threads", "1"}, input);
    EXPECT_TRUE(fine(outcome));
    return json_lines(split_lines(outcome.out));
  }

  static void expect_results(const Server::Answer& answer, const std::vector<Json>& lines) {
    ASSERT_EQ(answer.status, 200) << answer.body;
    ASSERT_EQ(answer.body.at("results").size(), lines.size()) << answer.body;
    if (rows_know_each_other()) return;
    for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(answer.body["results"][i], lines[i]);
  }

  static inline std::unique_ptr<Server> server_;
};

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

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST_F(Serve, RefusesWhatItCantAnswerInTheCommandLinesWords) {
  struct Bad {
    std::string path;
    std::string body;
    int status;
    Words parts;
  };
  const std::vector<Bad> all = {
      {"/generate", "{", 400, {"not valid JSON"}},
      {"/generate", "[]", 400, {"JSON object"}},
      {"/generate", "", 400, {"empty"}},
      {"/generate", std::string(100'000, '['), 400, {"nested"}},
      {"/generate", R"({"temprature": 1})", 400, {"'temprature'", "did you mean 'temperature'"}},
      {"/generate", R"({"temperature": "hot"})", 400, {"'temperature' takes 0.001 to 1000", "hot"}},
      {"/generate", R"({"temperature": -1})", 400, {"'temperature' takes 0.001 to 1000"}},
      {"/generate", R"({"decode": "gready"})", 400, {"'decode' takes one of", "'greedy'"}},
      {"/generate", R"({"n": 1.5})", 400, {"'n'"}},
      {"/generate", R"({"n": 1000000})", 400, {"'n' takes at most 256 here"}},
      {"/generate", R"({"max_length": 5000})", 400, {"'max_length' takes at most 500 here"}},
      {"/generate", R"({"min_length": 9, "max_length": 3})", 400, {"--min-length 9 contradicts"}},
      {"/generate", R"({"model": "none"})", 404, {"no model 'none'"}},
      {"/generate", R"({"model": "../../etc"})", 404, {"no model"}},
      {"/generate",
       R"({"model": ")" + name_of(orderer()) + "\"}",
       400,
       {"needs a model trained with"}},
      {"/complete", "{}", 400, {"'template' is missing"}},
      {"/complete", R"({"template": ""})", 400, {"'template' is empty"}},
      {"/complete", R"({"template": "<blank:x> a"})", 400, {"blank"}},
      {"/complete", R"({"template": "<blank:3-1> a"})", 422, {"at least 3 and at most 1"}},
      {"/complete", R"({"template": "the a dog", "max_length": 1})", 422, {}},
      {"/complete", R"({"template": "a ___", "must": "b"})", 400, {"not both"}},
      {"/complete", R"({"template": ["a ___", "<blank:x> a"]})", 400, {"'template'[1]: "}},
      {"/complete",
       R"({"template": ["a ___", "b ___"], "n": 200})",
       400,
       {"'n' asks for 200", "2 texts of 'template'"}},
      {"/complete",
       R"({"must": "a, b, c, d, e, f", "any_order": true, "n": 200})",
       400,
       {"'any_order'", "'n'"}},
      {"/generate",
       R"({"n": 256, "max_length": 500, "alternatives": 256})",
       400,
       {"'n'", "'max_length'", "'alternatives'", "128000 words with 256 alternatives each"}},
      {"/score",
       Json{{"text", Json(256, repeated("dog ", 400))}, {"by_word", true}, {"others", 256}}.dump(),
       400,
       {"'text'", "'others'", "102400 words with 256 alternatives each"}},
      {"/reorder", R"({"words": [1]})", 400, {"'words'"}},
      {"/reorder", R"({"words": [["a", 3, "b"]]})", 400, {"'words'", "3"}},
      {"/reorder", R"({"words": "a b c", "exact": true, "length": 2})", 422, {"--exact"}},
      {"/translate", R"({"source": "a", "shortlist": 5})", 400, {"'shortlist'"}},
      {"/score", R"({"text": "a b", "exact": true, "samples": 999})", 400, {"'samples'"}},
      {"/v1/completions", R"({"prompt": "a", "stop": ["x"]})", 400, {"'stop'"}},
      {"/v1/completions", R"({"prompt": "a", "n": 1000000})", 400, {"'n' takes at most 256 here"}},
      {"/v1/completions",
       R"({"prompt": ["a", "b"], "n": 200})",
       400,
       {"'n' takes at most 128 here"}},
      {"/v1/completions", R"({"max_tokens": 501})", 400, {"'max_tokens' takes at most 500 here"}},
      {"/v1/completions", R"({"prompt": ["a", "<blank:x> a"], "n": 2})", 400, {"'prompt'[1]: "}},
      {"/v1/completions", R"({"stream_options": 1})", 400, {"'stream_options'"}},
      {"/nothing", "{}", 404, {"'POST /nothing'"}}};
  for (const Bad& bad : all) {
    Server::Answer answer = server_->post(bad.path, bad.body);
    EXPECT_EQ(answer.status, bad.status) << bad.path << " " << bad.body.substr(0, 80);
    ASSERT_TRUE(answer.body.contains("error")) << bad.path << " " << answer.body;
    EXPECT_EQ(answer.body["error"].at("code"), bad.status);
    EXPECT_TRUE(answer.body["error"].contains("type"));
    std::string message = answer.body["error"].at("message");
    for (const std::string& part : bad.parts) {
      EXPECT_TRUE(has(message, part)) << bad.body.substr(0, 80);
    }
    EXPECT_FALSE(has(message, "exception")) << message;
  }
  EXPECT_EQ(server_->post("/generate", std::string(2 << 20, ' ')).status, 413);
  auto chunked = server_->client().Post(
      "/generate",
      [](size_t offset, httplib::DataSink& sink) {
        std::string piece(1 << 16, ' ');
        if (offset > (2 << 20)) {
          sink.done();
        } else {
          sink.write(piece.data(), piece.size());
        }
        return true;
      },
      "application/json");
  ASSERT_TRUE(chunked);
  EXPECT_EQ(chunked->status, 413);
  EXPECT_EQ(server_->ask("/generate", Json::object()).status, 200) << "and it goes on";
}

/// A connection to this machine; it may not be there yet.
int connect_to(int port) {
  int own = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::connect(own, reinterpret_cast<sockaddr*>(&address), sizeof(address));
  return own;
}

/// A connection that says what it likes.
class RawConnection {
 public:
  explicit RawConnection(int port) : socket_(connect_to(port)) {
    pollfd waiting{.fd = socket_, .events = POLLOUT, .revents = 0};
    EXPECT_EQ(::poll(&waiting, 1, -1), 1);
  }
  ~RawConnection() { ::close(socket_); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  /// Short texts, which never wait. Nobody may be there any more.
  void say(const std::string& text) { ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL); }
  void say_no_more() { ::shutdown(socket_, SHUT_WR); }

  /// What has been heard in all once it has this in it, or there is no more to come.
  const std::string& hear(const std::string& until) {
    std::array<char, 4096> buffer{};
    while (!has(heard_, until)) {
      pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
      ::poll(&waiting, 1, -1);
      auto count = ::recv(socket_, buffer.data(), buffer.size(), 0);
      if (count <= 0) break;
      heard_.append(buffer.data(), static_cast<size_t>(count));
    }
    return heard_;
  }
  const std::string& hear_all() { return hear("there is no such answer"); }

 private:
  int socket_;
  std::string heard_;
};

TEST_F(Serve, BodiesForNobodyAreBoundedToo) {
  std::string large(2 << 20, ' ');
  const char* type = "application/json";
  std::vector<httplib::Result> results;
  results.push_back(server_->client().Post("/nothing", large, type));
  results.push_back(server_->client().Put("/generate", large, type));
  results.push_back(server_->client().Patch("/", large, type));
  results.push_back(server_->client().Delete("/health", large, type));
  for (const httplib::Result& result : results) {
    ASSERT_TRUE(result);
    EXPECT_EQ(result->status, 413);
  }
  std::string path = "/" + std::string(8000, 'x');
  EXPECT_EQ(server_->post(path, "{}").status, 404);
  EXPECT_EQ(server_->client().Put("/generate", "{}", type)->status, 404);
}

TEST_F(Serve, WhatIsLeftOfARequestIsNoRequest) {
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  for (const std::string& head :
       {std::string("GET /health HTTP/1.1\r\nContent-Length: 60\r\n"),
        std::string("HEAD /health HTTP/1.1\r\nContent-Length: 60\r\n"),
        "OPTIONS / HTTP/1.1\r\n" + chunked,
        "POST /generate HTTP/1.1\r\nContent-Length: 0\r\n" + chunked,
        std::string("POST /generate HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 60\r\n"),
        std::string("POST /generate HTTP/1.1\r\nContent-Length: x60\r\n"),
        std::string("POST /generate HTTP/1.1\r\nContent-Type: multipart/form-data\r\n"
                    "Content-Length: 60\r\n"),
        "POST /generate HTTP/1.1\r\n" + chunked + "\r\nno number",
        std::string("SAY what you like\r\n")}) {
    RawConnection connection(server_->port());
    connection.say(head + "\r\n");
    connection.hear("\r\n\r\n");
    connection.say("GET /nothing HTTP/1.1\r\n\r\n");
    connection.say_no_more();
    std::string heard = connection.hear_all();
    EXPECT_EQ(heard.rfind("HTTP/1.1 "), 0U) << head << heard;
    EXPECT_TRUE(has(heard, "Connection: close")) << head << heard;
    EXPECT_TRUE(has(heard, "{\"error\":")) << head << heard;
  }
}

TEST_F(Serve, AFormIsRefusedAndTheConnectionGoesOn) {
  RawConnection connection(server_->port());
  std::string form = "--b\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n1\r\n--b--\r\n";
  connection.say(
      "POST /generate HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\n"
      "Content-Length: " +
      std::to_string(form.size()) + "\r\n\r\n" + form);
  EXPECT_TRUE(has(connection.hear("a form"), "HTTP/1.1 415"));
  connection.say("GET /health HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(has(connection.hear_all(), "HTTP/1.1 200"));
}

TEST_F(Serve, WithoutALengthABodyIsEmpty) {
  RawConnection connection(server_->port());
  connection.say("POST /generate HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(has(connection.hear_all(), "the body is empty"));
}

/// Long enough to be in nobody's way to finish first.
Json endless() {
  return {{"n", 200}, {"min_length", 490}, {"max_length", 500}};
}

TEST_F(Serve, ALongRequestHoldsUpNobody) {
  Json search = {{"template", Json(200, "<blank:80-90>")}, {"beam_size", 10}, {"alternatives", 20}};
  struct Long {
    std::string path;
    Json body;
  };
  for (Long asked : {Long{"/generate", endless()}, Long{"/complete", search}}) {
    asked.body["stream"] = true;
    int status = 0;
    server_->stream(asked.path, asked.body, [&](const std::string& data) {
      EXPECT_EQ(Json::parse(data).at("op"), "insert") << data;
      status = server_->ask("/generate", {{"decode", "greedy"}, {"n", 2}}).status;
      // What nobody reads can't all be sent: the long one hasn't come to its end.
      EXPECT_EQ(server_->metric("bough_requests_under_way"), 1.0);
      return false;
    });
    EXPECT_EQ(status, 200) << asked.path;
    EXPECT_TRUE(wait_for(server_->program(),
                         [&] { return server_->metric("bough_requests_under_way") == 0; }));
  }
}

TEST_F(Serve, CompletionsAreSentAsEachIsDone) {
  // Large answers: those that nobody reads hold up the rest.
  Json asked = {{"model", name_of(lm())},
                {"prompt", "<blank:80-90>"},
                {"n", 250},
                {"logprobs", 20},
                {"stream", true},
                {"seed", 1}};
  std::vector<int> indices;
  double steps_at_first = 0.0;
  server_->stream("/v1/completions", asked, [&](const std::string& data) {
    if (data == "[DONE]") return true;
    if (indices.empty()) steps_at_first = server_->metric("bough_steps_total");
    Json choices = Json::parse(data).at("choices");
    EXPECT_EQ(choices.size(), 1U);
    indices.push_back(choices[0].at("index"));
    return true;
  });
  ASSERT_EQ(indices.size(), 250U);
  EXPECT_TRUE(std::ranges::is_sorted(indices));
  EXPECT_GT(server_->metric("bough_steps_total"), steps_at_first) << "all came at the end";
}

TEST_F(Serve, ManyMayComeAtOnce) {
  server_->program().send(SIGSTOP);  // it accepts nobody for now
  std::vector<int> connections;
  for (int i = 0; i < 64; ++i) connections.push_back(connect_to(server_->port()));
  for (int connection : connections) {
    pollfd waiting{.fd = connection, .events = POLLOUT, .revents = 0};
    EXPECT_EQ(::poll(&waiting, 1, 20'000), 1) << "it has to try again";
    ::close(connection);
  }
  server_->program().send(SIGCONT);
  EXPECT_EQ(server_->get("/health").status, 200);
}

TEST_F(Serve, StopsWorkingForClientsThatHaveGone) {
  double before = server_->metric("bough_requests_abandoned_total");
  Json streamed = endless();
  streamed["stream"] = true;
  server_->stream("/generate", streamed, [](const std::string&) { return false; });
  wait_for(server_->program(),
           [&] { return server_->metric("bough_requests_abandoned_total") == before + 1; });
  EXPECT_TRUE(wait_for(server_->program(), [&] {
    return server_->metric("bough_requests_total{route=\"/generate\",code=\"499\"}") >= 1;
  }));
  // One that waits for the whole.
  int own = connect_to(server_->port());
  pollfd waiting{.fd = own, .events = POLLOUT, .revents = 0};
  ASSERT_EQ(::poll(&waiting, 1, -1), 1);
  std::string body = endless().dump();
  std::string text =
      "POST /generate HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) +
      "\r\n\r\n" + body;
  ASSERT_EQ(::send(own, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  wait_for(server_->program(), [&] { return server_->metric("bough_requests_under_way") == 1; });
  ::close(own);
  EXPECT_TRUE(wait_for(server_->program(), [&] {
    return server_->metric("bough_requests_abandoned_total") == before + 2;
  }));
  EXPECT_TRUE(wait_for(server_->program(),
                       [&] { return server_->metric("bough_requests_under_way") == 0; }));
}

TEST(ServeLimits, ManyRequestsAreToldToComeAgain) {
  Server server({"--model", lm(), "--max-requests", "1"});
  std::latch begun(1);
  std::latch refused(1);
  Json streamed = endless();
  streamed["stream"] = true;
  std::string last;
  std::thread first([&] {
    bool told = false;
    server.stream("/generate", streamed, [&](const std::string& data) {
      if (!std::exchange(told, true)) {
        begun.count_down();
        refused.wait();
      }
      last = data;
      return true;
    });
  });
  begun.wait();
  Server::Answer second = server.ask("/generate", Json::object());
  refused.count_down();
  first.join();
  EXPECT_EQ(second.status, 429) << second.body;
  EXPECT_EQ(second.headers.count("Retry-After"), 1U);
  EXPECT_EQ(Json::parse(last).at("op"), "done");
  EXPECT_EQ(server.ask("/generate", Json::object()).status, 200);
}

TEST(ServeLimits, LateAnswersEndAndTheLogSaysSo) {
  Server server({"--model", lm(), "--timeout", "0.001", "--log-format", "json"});
  EXPECT_EQ(server.ask("/generate", endless()).status, 504);
  Json streamed = endless();
  streamed["stream"] = true;
  Json last;
  server.stream("/generate", streamed, [&](const std::string& data) {
    last = Json::parse(data);
    return true;
  });
  EXPECT_EQ(last.at("op"), "error");
  EXPECT_EQ(last.at("error").at("code"), 504);
  RawConnection unreadable(server.port());
  unreadable.say("SAY what you like\r\n\r\n");
  unreadable.hear_all();
  std::vector<Json> log;
  wait_for(server.program(), [&] {
    log.clear();
    std::string said = server.program().said();
    for (const std::string& line : split_lines(said.substr(0, said.rfind('\n') + 1))) {
      log.push_back(Json::parse(line));
      EXPECT_TRUE(log.back().contains("time") && log.back().contains("level"));
    }
    std::erase_if(log, [](const Json& line) { return !line.contains("status"); });
    return log.size() == 3;
  });
  EXPECT_EQ(log[0].at("status"), 504);
  EXPECT_EQ(log[0].at("path"), "/generate");
  EXPECT_EQ(log[1].at("status"), 504) << "of a stream, too";
  EXPECT_EQ(log[2].at("status"), 400);
  EXPECT_EQ(log[2].at("seconds"), 0.0) << "nobody has worked on it";
}

TEST(ServeKey, IsAskedForAndMayBeInTheEnvironment) {
  for (bool environment : {false, true}) {
    Words options = {"--model", lm(), "--cors-origin", "https://a.example"};
    Server server(environment ? options : options + Words{"--api-key", "a secret"},
                  environment ? Words{"BOUGH_API_KEY=a secret"} : Words{});
    EXPECT_EQ(server.ask("/generate", Json::object()).status, 401);
    EXPECT_EQ(server.post("/generate", "{}", {{"Authorization", "Bearer a secreT"}}).status, 401);
    EXPECT_EQ(server.post("/generate", "{}", {{"Authorization", "Bearer a secret more"}}).status,
              401);
    EXPECT_EQ(server.get("/metrics").status, 401);
    EXPECT_EQ(server.get("/v1/models").status, 401);
    EXPECT_EQ(server.get("/health").status, 200);
    Server::Answer answer = server.post("/generate", "{}", {{"Authorization", "Bearer a secret"}});
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.headers.find("Access-Control-Allow-Origin")->second, "https://a.example");
    auto before = server.client().Options("/generate", {{"Access-Control-Request-Headers", "x-a"}});
    ASSERT_TRUE(before);
    EXPECT_EQ(before->get_header_value("Access-Control-Allow-Headers"), "x-a");
    EXPECT_FALSE(has(server.program().said(), "secret"));
  }
}

TEST(ServeStop, FinishesWhatItHasAccepted) {
  Server server({"--model", lm()});
  std::latch begun(1);
  std::latch stopped(1);
  Json asked = {{"n", 20}, {"min_length", 100}, {"max_length", 120}, {"stream", true}};
  int done = 0;
  std::thread client([&] {
    bool told = false;
    server.stream("/generate", asked, [&](const std::string& data) {
      if (!std::exchange(told, true)) {
        begun.count_down();
        stopped.wait();
      }
      done += Json::parse(data).at("op") == "done" ? 1 : 0;
      return true;
    });
  });
  begun.wait();
  server.program().send(SIGTERM);
  wait_for(server.program(), [&] { return has(server.program().said(), "stopping"); });
  stopped.count_down();
  client.join();
  EXPECT_EQ(done, 20);
  EXPECT_EQ(server.program().finish().exit_code, 0);
  EXPECT_EQ(server.get("/health").status, 0) << "nobody is there any more";
}

TEST(ServeStart, ServesWhatComesWithItUnlessTold) {
  Server server({});
  Server::Answer order = server.post("/reorder", R"({"words": "have I . time no", "exact": true})");
  ASSERT_EQ(order.status, 200);
  EXPECT_EQ(order.body["model"], "order");
  EXPECT_EQ(order.body["results"][0]["text"], "I have no time.");
  Server::Answer translated =
      server.post("/translate", R"({"model": "german-english", "source": "Ich habe keine Zeit."})");
  Outcome same =
      bough({"translate", "--model", "german-english", "--quiet"}, "Ich habe keine Zeit.\n");
  EXPECT_EQ(translated.body["results"][0]["text"].get<std::string>() + "\n", same.out);
}

TEST(ServeStart, RefusesWhatItCantServe) {
  TempFolder folder;
  expect_refused({{{"serve", "--port", "0", "--model", folder.path() / "none"}, 3, {"none"}},
                  {{"serve", "--host", "999.1.1.1", "--model", lm()}, 1, {"999.1.1.1", "--port"}},
                  {{"serve", "--model", lm(), "--model", lm()}, 2, {lm()}}});
  Server server({"--model", lm()});
  expect_refused({{{"serve", "--model", lm(), "--port", std::to_string(server.port())},
                   1,
                   {"cannot listen", std::to_string(server.port())}}});
}

}  // namespace
}  // namespace bough
