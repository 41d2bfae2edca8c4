// `bough serve`: what becomes of bad, large, long, abandoned and too many requests, and how it
// starts and stops.
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <latch>

#include "server.h"

namespace bough {
namespace {

class ServeRequests : public ServerTest {};

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST_F(ServeRequests, RefusesWhatItCantAnswerInTheCommandLinesWords) {
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

TEST_F(ServeRequests, BodiesForNobodyAreBoundedToo) {
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

TEST_F(ServeRequests, WhatIsLeftOfARequestIsNoRequest) {
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

TEST_F(ServeRequests, AFormIsRefusedAndTheConnectionGoesOn) {
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

TEST_F(ServeRequests, WithoutALengthABodyIsEmpty) {
  RawConnection connection(server_->port());
  connection.say("POST /generate HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(has(connection.hear_all(), "the body is empty"));
}

/// Long enough to be in nobody's way to finish first.
Json endless() {
  return {{"n", 200}, {"min_length", 490}, {"max_length", 500}};
}

TEST_F(ServeRequests, ALongRequestHoldsUpNobody) {
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

TEST_F(ServeRequests, CompletionsAreSentAsEachIsDone) {
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

TEST_F(ServeRequests, ManyMayComeAtOnce) {
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

TEST_F(ServeRequests, StopsWorkingForClientsThatHaveGone) {
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
