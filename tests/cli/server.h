// A real server for the tests of `bough serve`: tiny models of each task, and one that serves them
// all.
#pragma once

#include <httplib.h>

#include "tiny_models.h"

namespace bough {

using Json = nlohmann::json;

/// Without kernels of our own, rounding may differ with the company of a row.
inline bool rows_know_each_other() {
  const char* kernels = std::getenv("BOUGH_KERNELS");
  return kernels != nullptr && std::string_view(kernels) == "plain";
}

inline fs::path lm() {
  return TinyModels::shared().with({"--oracle", "uniform"});
}

inline fs::path orderer() {
  return TinyModels::shared().with({"--task", "reorder", "--oracle", "uniform"});
}

/// It translates the tiny sentences into themselves.
inline fs::path translator() {
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

/// One server for most tests of a suite.
class ServerTest : public testing::Test {
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

}  // namespace bough
