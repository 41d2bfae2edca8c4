// The routes, by HTTP (cpp-httplib): who may ask, how much, for how long; what goes wrong as JSON;
// an access log and numbers to watch.
//
// A connection has a thread. It reads a request, has the question answered in the shared batches
// (serve/batch_worker.h), looks meanwhile whether the client is still there and in time, and
// answers.
#pragma once

#include <memory>
#include <string>

#include "server/api.h"
#include "server/metrics.h"

namespace bough::server {

struct HttpOptions {
  std::string host = "127.0.0.1";
  int64_t port = 8080;      // 0: any that is free
  std::string api_key;      // empty: nobody is asked for one
  std::string cors_origin;  // empty: pages of other origins can't read answers
  bool json_log = false;
  int64_t max_body = 1 << 20;  // bytes
  int64_t max_requests = 256;  // that compute or wait for it
  int64_t max_connections = 256;
  double timeout = 60.0;  // seconds
};

class HttpServer {
 public:
  HttpServer(const HttpOptions& options, const BatchWorker& worker);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Takes the port, and says which. RunError where it can't.
  int bind();
  /// Answers until `stop`, and finishes what it has accepted.
  void listen();
  void stop();

  /// From now on questions are answered; until then they are told to come again. It must outlive
  /// the listening. `gemm_rate` is what the machine can do, for the metrics.
  void serve(const Api& api, double gemm_rate);

 private:
  class Routes;
  std::unique_ptr<Routes> routes_;
};

}  // namespace bough::server
