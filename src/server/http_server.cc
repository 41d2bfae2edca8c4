#include "server/http_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <spdlog/spdlog.h>
#include <strings.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "bough/base/error.h"
#include "bough/base/utf8.h"
#include "server/connection.h"
#include "server/fields.h"
#include "server/json_log.h"
#include "server/openapi.h"
#include "server/page.h"

namespace bough::server {

namespace {

using Clock = std::chrono::steady_clock;

/// How much nicer the connections' threads are than those that compute.
constexpr int kBehind = 5;

/// Nobody waits for the answer any more; the status is seen by the log alone.
struct ClientGone {};
constexpr int kClientGone = 499;

/// Compares in a time that says nothing about where they differ.
bool same_key(std::string_view given, std::string_view right) {
  size_t difference = given.size() ^ right.size();
  for (size_t i = 0; i < given.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i]) ^
                  static_cast<unsigned char>(right[i % std::max<size_t>(1, right.size())]);
  }
  return difference == 0;
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A place among the requests that compute or wait for it.
class Turn {
 public:
  Turn(std::atomic<int64_t>& under_way, int64_t most) : under_way_(under_way) {
    if (++under_way_ <= most) return;
    --under_way_;
    throw HttpError(429, fmt::format("{} requests are under way already: come again later", most));
  }
  ~Turn() { --under_way_; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::atomic<int64_t>& under_way_;
};

/// What is known of the request on this thread until it is logged.
struct Exchange {
  std::optional<Clock::time_point> began = {};  // none: it was refused before it was read
  size_t sent = 0;                              // bytes that aren't the response's body
  int outcome = 0;      // the status that a stream would have had which went wrong on the way
  bool closes = false;  // it is the last one on its connection
};
thread_local Exchange exchange;

/// Whether a request says where it ends, in a way that cpp-httplib reads: else what is left of it
/// would be taken for the next one.
bool has_clear_end(const httplib::Request& request) {
  size_t codings = request.get_header_value_count("Transfer-Encoding");
  size_t lengths = request.get_header_value_count("Content-Length");
  std::string length = request.get_header_value("Content-Length");
  bool empty = codings == 0 && (lengths == 0 || length == "0");
  constexpr std::string_view kWithBody[] = {"POST", "PUT", "PATCH", "DELETE"};
  if (std::ranges::find(kWithBody, request.method) == std::end(kWithBody)) {
    return empty && request.method != "PRI";  // which is read to the end of the connection
  }
  if (codings + lengths > 1) return false;
  if (codings == 1)
    return ::strcasecmp(request.get_header_value("Transfer-Encoding").c_str(), "chunked") == 0;
  constexpr size_t kMostDigits = 18;
  auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  return lengths == 0 ||
         (!length.empty() && length.size() <= kMostDigits && std::ranges::all_of(length, is_digit));
}

/// Has the connection closed once the answer is sent: what is left of the request would be taken
/// for the next one.
void close_after(const httplib::Request& request, httplib::Response& response) {
  exchange.closes = true;
  exchange.sent = response.body.size();
  // Whoever provides content may give up, and cpp-httplib then closes the connection; an answer to
  // HEAD has no content.
  if (request.method == "HEAD") const_cast<httplib::Request&>(request).method = "GET";
  std::string body = std::exchange(response.body, "");
  std::string type = response.get_header_value("Content-Type");
  response.headers.erase("Content-Type");  // it is set once more
  response.set_content_provider(body.size(), type,
                                [body](size_t offset, size_t length, httplib::DataSink& sink) {
                                  sink.write(body.data() + offset, length);
                                  return false;
                                });
}

}  // namespace

class HttpServer::Routes {
 public:
  Routes(const HttpOptions& options, const BatchWorker& worker)
      : options_(options), worker_(worker) {
    set_up();
    add_routes();
  }

  int bind() {
    int port = static_cast<int>(options_.port);
    if (port == 0) {
      port = server_.bind_to_any_port(options_.host);
    } else if (!server_.bind_to_port(options_.host, port)) {
      port = -1;
    }
    if (port < 0) {
      throw RunError("cannot listen on {}:{}: choose another --host or --port", options_.host,
                     options_.port);
    }
    // cpp-httplib lets five wait to be accepted; of clients that come all at once the others would
    // try again after a second.
    ::listen(listening_, SOMAXCONN);
    return port;
  }
  void listen() {
    // Connections' threads inherit it: they come after those that compute, since a step that waits
    // for a core holds up all requests.
    ::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + kBehind);
    server_.listen_after_bind();
    ended_ = true;
  }
  void stop() {
    stopping_ = true;
    // Told before it listens, it wouldn't hear it.
    while (!server_.is_running() && !ended_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    server_.stop();
  }
  void serve(const Api& api, double gemm_rate) {
    metrics_.gemm_rate = gemm_rate;
    api_ = &api;
  }

 private:
  using Request = httplib::Request;
  using Response = httplib::Response;

  void set_up() {
    auto threads = static_cast<size_t>(options_.max_connections);
    server_.new_task_queue = [threads] { return new httplib::ThreadPool(threads); };
    server_.set_tcp_nodelay(true);
    server_.set_keep_alive_max_count(1'000'000);
    // Not SO_REUSEPORT, which lets two servers have one port without a word.
    server_.set_socket_options([this](int socket) {
      listening_ = socket;
      int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    server_.set_pre_routing_handler([](const Request& request, Response& response) {
      exchange = {.began = Clock::now()};
      if (has_clear_end(request)) return httplib::Server::HandlerResponse::Unhandled;
      set_error(response, HttpError(400, "it can't be told where the request ends"));
      close_after(request, response);
      return httplib::Server::HandlerResponse::Handled;
    });
    server_.set_post_routing_handler([this](const Request&, Response& response) {
      if (exchange.closes) {
        response.headers.erase("Keep-Alive");
        response.headers.erase("Connection");
        response.set_header("Connection", "close");
      }
      if (options_.cors_origin.empty()) return;
      response.set_header("Access-Control-Allow-Origin", options_.cors_origin);
      response.set_header("Vary", "Origin");
    });
    server_.set_error_handler([](const Request& request, Response& response) {
      if (!response.body.empty() || exchange.closes) return;
      set_error(response, response.status == 404
                              ? no_route(request)
                              : HttpError(response.status, "the request can't be read"));
      if (!exchange.began) close_after(request, response);
    });
    server_.set_logger(
        [this](const Request& request, const Response& response) { log(request, response); });
  }

  void add_routes() {
    get("/", false, [](Response& response) {
      response.set_header("Content-Security-Policy",
                          "default-src 'none'; style-src 'unsafe-inline'; script-src "
                          "'unsafe-inline'; connect-src 'self'; img-src data: blob:");
      response.set_content(std::string(page()), "text/html; charset=utf-8");
    });
    get("/health", false, [this](Response& response) {
      if (api_ == nullptr) throw HttpError(503, "the models are being loaded");
      set_json(response, {{"status", "ok"}});
    });
    get("/metrics", true, [this](Response& response) {
      const Api* api = api_;
      response.set_content(metrics_.text(api == nullptr ? nullptr : &api->models(), worker_),
                           "text/plain; version=0.0.4");
    });
    get("/v1/models", true,
        [this](Response& response) { set_json(response, api().models().list()); });
    get("/openapi.json", false, [](Response& response) { set_json(response, openapi()); });
    for (const char* route :
         {"generate", "complete", "reorder", "translate", "score", "tokenize", "v1/completions"}) {
      post(route);
    }
    add_nothing();
    if (options_.cors_origin.empty()) return;
    server_.Options(".*", [](const Request& request, Response& response) {
      response.set_header("Access-Control-Allow-Methods", "GET, POST, OPTIONS");
      std::string asked = request.get_header_value("Access-Control-Request-Headers");
      response.set_header("Access-Control-Allow-Headers",
                          asked.empty() ? "Authorization, Content-Type" : asked);
      response.set_header("Access-Control-Max-Age", "86400");
      response.status = 204;
    });
  }

  void get(const char* path, bool guarded, std::function<void(Response&)> answer) {
    paths_.emplace_back(path);
    server_.Get(path, [this, guarded, answer](const Request& request, Response& response) {
      with_errors(response, [&] {
        if (guarded) authorize(request);
        answer(response);
      });
    });
  }

  void post(const char* route) {
    paths_.push_back(fmt::format("/{}", route));
    server_.Post(paths_.back(), with_body([this, route](const Request& request, Response& response,
                                                        const std::string& body) {
                   authorize(request);
                   ask(route, request, parse_body(body), response);
                 }));
  }

  /// What there is no route for. Without these, cpp-httplib would read the bodies whole.
  void add_nothing() {
    auto nothing = with_body(
        [](const Request& request, Response&, const std::string&) { throw no_route(request); });
    server_.Post(".*", nothing);
    server_.Put(".*", nothing);
    server_.Patch(".*", nothing);
    server_.Delete(".*", nothing);
  }

  using Work = std::function<void(const Request&, Response&, const std::string& body)>;

  /// A handler that reads the body first of all, or closes the connection: so that the next request
  /// is where it begins.
  httplib::Server::HandlerWithContentReader with_body(Work work) {
    return [this, work = std::move(work)](const Request& request, Response& response,
                                          const httplib::ContentReader& reader) {
      bool whole = false;
      with_errors(response, [&] { work(request, response, read_body(request, reader, whole)); });
      if (!whole) close_after(request, response);
    };
  }

  std::string read_body(const Request& request, const httplib::ContentReader& reader,
                        bool& whole) const {
    if (!request.has_header("Content-Length") && !request.has_header("Transfer-Encoding")) {
      whole = true;
      return "";
    }
    auto most = static_cast<size_t>(options_.max_body);
    std::string body;
    size_t size = 0;
    auto take = [&](const char* data, size_t count) {
      size += count;
      if (size <= most) body.append(data, count);
      return size <= 64 * most;  // what is too much is read and dropped, within reason
    };
    bool form = request.is_multipart_form_data();
    whole =
        form ? reader([](const httplib::MultipartFormData&) { return true; }, take) : reader(take);
    if (form) throw HttpError(415, "send JSON, not a form");
    if (size > most || (!whole && request.get_header_value<uint64_t>("Content-Length") > most)) {
      throw HttpError(413, fmt::format("the body is larger than {} bytes", most));
    }
    if (!whole) throw HttpError(400, "the body ends too early");
    return body;
  }

  void authorize(const Request& request) const {
    if (options_.api_key.empty()) return;
    std::string given = request.get_header_value("Authorization");
    constexpr std::string_view kScheme = "bearer ";
    if (lower_case(given.substr(0, kScheme.size())) == kScheme) given.erase(0, kScheme.size());
    if (!same_key(given, options_.api_key)) {
      throw HttpError(401, "the API key is missing or wrong: send 'Authorization: Bearer KEY'");
    }
  }

  const Api& api() const {
    const Api* api = api_;
    if (api == nullptr) throw HttpError(503, "the models are being loaded: come again later");
    return *api;
  }

  /// Whoever asks, and until when.
  std::function<void()> check_of(const Request& request) {
    auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(options_.timeout));
    return [this, end, address = request.remote_addr, port = request.remote_port,
            socket = -2]() mutable {
      if (Clock::now() > end) {
        throw HttpError(
            504, fmt::format("it took longer than {} seconds: ask for less", options_.timeout));
      }
      if (socket == -2) socket = socket_to(address, port);
      if (socket >= 0 && has_gone(socket)) throw ClientGone();
    };
  }

  void ask(std::string_view route, const Request& request, const Json& body, Response& response) {
    const Api& own = api();
    if (stopping_) throw HttpError(503, "the server is being stopped");
    auto turn = std::make_shared<Turn>(metrics_.under_way, options_.max_requests);
    std::shared_ptr<Question> question = own.read(route, body);
    std::function<void()> check = check_of(request);
    if (question->streams()) {
      stream(route, question, turn, check, response);
      return;
    }
    set_json(response, question->answer({.check = check}));
    metrics_.add_words(question->words());
  }

  void stream(std::string_view route, const std::shared_ptr<Question>& question,
              const std::shared_ptr<Turn>& turn, const std::function<void()>& check,
              Response& response) {
    bool openai = route == "v1/completions";
    response.set_header("Cache-Control", "no-store");
    response.set_header("X-Accel-Buffering", "no");  // of nginx
    response.set_chunked_content_provider(
        "text/event-stream", [=, this](size_t /*offset*/, httplib::DataSink& sink) {
          auto send = [&](const std::string& data) {
            std::string event = fmt::format("data: {}\n\n", data);
            if (!sink.write(event.data(), event.size())) throw ClientGone();
            exchange.sent += event.size();
          };
          bool there = answer_stream(*question, check, send, openai);
          metrics_.add_words(question->words());
          if (there) sink.done();
          return there && turn != nullptr;
        });
  }

  /// Whether the client is still there.
  bool answer_stream(Question& question, const std::function<void()>& check,
                     const std::function<void(const std::string&)>& send, bool openai) {
    try {
      try {
        question.answer(
            {.check = check, .on_event = [&](const Json& event) { send(text_of(event)); }});
      } catch (const ClientGone&) {
        throw;
      } catch (...) {
        HttpError failure = as_http_error(std::current_exception());
        exchange.outcome = failure.status();
        Json error = failure.body();
        if (!openai) error = {{"op", "error"}, {"error", error["error"]}};
        send(text_of(error));
      }
      if (openai) send("[DONE]");
      return true;
    } catch (const ClientGone&) {
      ++metrics_.abandoned;
      exchange.outcome = kClientGone;
      return false;
    }
  }

  template <typename Work>
  void with_errors(Response& response, const Work& work) {
    try {
      work();
    } catch (const ClientGone&) {
      ++metrics_.abandoned;
      response.status = kClientGone;
    } catch (...) {
      set_error(response, as_http_error(std::current_exception()));
    }
  }

  static HttpError no_route(const Request& request) {
    return {404, fmt::format("there is no '{} {}' here; GET /openapi.json lists what there is",
                             for_message(request.method), for_message(request.path))};
  }

  static void set_json(Response& response, const Json& json) {
    response.set_content(text_of(json), "application/json");
  }

  static void set_error(Response& response, const HttpError& error) {
    response.status = error.status();
    if (error.retry_after() > 0) {
      response.set_header("Retry-After", std::to_string(error.retry_after()));
    }
    set_json(response, error.body());
  }

  void log(const Request& request, const Response& response) {
    Exchange own = std::exchange(exchange, {});
    double seconds =
        own.began ? std::chrono::duration<double>(Clock::now() - *own.began).count() : 0.0;
    bool known = std::ranges::find(paths_, request.path) != paths_.end();
    int status = own.outcome > 0 ? own.outcome : response.status;
    metrics_.add_request(known ? request.path : "other", status, seconds);
    size_t bytes = response.body.size() + own.sent;
    if (!spdlog::should_log(spdlog::level::info)) return;
    if (options_.json_log) {
      Json line{{"level", "info"},
                {"remote", request.remote_addr},
                {"method", request.method},
                {"path", request.path},
                {"status", status},
                {"bytes", bytes},
                {"seconds", std::round(seconds * 1e6) / 1e6}};
      log_json(line);
    } else {
      spdlog::info("{} {} {} {} {} bytes {:.3f} s", request.remote_addr,
                   for_message(request.method), for_message(request.path), status, bytes, seconds);
    }
  }

  HttpOptions options_;
  const BatchWorker& worker_;
  Metrics metrics_;
  std::vector<std::string> paths_;
  std::atomic<const Api*> api_{nullptr};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> ended_{false};
  int listening_ = -1;  // the socket that connections come by
  httplib::Server server_;
};

HttpServer::HttpServer(const HttpOptions& options, const BatchWorker& worker)
    : routes_(std::make_unique<Routes>(options, worker)) {}
HttpServer::~HttpServer() = default;

int HttpServer::bind() {
  return routes_->bind();
}
void HttpServer::listen() {
  routes_->listen();
}
void HttpServer::stop() {
  routes_->stop();
}
void HttpServer::serve(const Api& api, double gemm_rate) {
  routes_->serve(api, gemm_rate);
}

}  // namespace bough::server
