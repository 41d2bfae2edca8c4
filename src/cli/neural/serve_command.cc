// bough serve: models behind HTTP (../../server).
#include <signal.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>

#include "bough/base/error.h"
#include "bough/bench/gemm_rate.h"
#include "bough/model/runtime.h"
#include "neural/compute.h"
#include "neural/neural_commands.h"
#include "serve_verb.h"
#include "server/http_server.h"
#include "server/json_log.h"

namespace bough::cli {

namespace {

/// For a look at what the machine's matrix products can do, for each library.
constexpr double kGemmSeconds = 0.1;

/// SIGINT and SIGTERM, which this thread waits for and no thread handles: a handler would run on a
/// stack that matrix products use (docs/decisions.md).
class StopSignals {
 public:
  /// Before any other thread is started: they have to leave the signals alone.
  StopSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  /// From here on one ends the process at once.
  void let_through() const { pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr); }

  /// Waits a moment; whether one has come.
  bool wait() const {
    constexpr timespec kMoment{.tv_sec = 0, .tv_nsec = 50'000'000};
    return sigtimedwait(&signals_, nullptr, &kMoment) > 0;
  }

 private:
  sigset_t signals_{};
};

bool is_loopback(const std::string& host) {
  return host.starts_with("127.") || host == "localhost" || host == "::1";
}

class ServeCommand : public ServeVerb {
 public:
  void run(OptionSet& set, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    StopSignals signals;
    if (log_format_ == LogFormat::kJson) server::use_json_log();
    // Threads that compute wait for each other: one whose core answers requests holds up all.
    if (compute_.threads == 0) {
      compute_.threads = std::max<int64_t>(1, int64_t{std::thread::hardware_concurrency()} - 1);
    }
    set_up(compute_);
    // How many threads to compute with is each thread's own affair.
    BatchWorker worker([this](const std::function<void()>& work) {
      set_up_runtime(compute_.threads);
      without_gradients(work);
    });
    server::HttpServer http(http_options(), worker);
    int port = http.bind();
    if (!is_loopback(host_) && api_key_.empty()) {
      spdlog::warn("anybody who reaches {} may ask: --api-key (or BOUGH_API_KEY) asks for a key",
                   host_);
    }
    std::thread listening([&] { http.listen(); });
    spdlog::info("listening on http://{}:{}",
                 host_.find(':') == std::string::npos ? host_ : "[" + host_ + "]", port);
    std::optional<server::Models> models;
    std::optional<server::Api> api;
    auto loading = std::async(std::launch::async, [&] {
      set_up_runtime(compute_.threads);
      models.emplace(model_options(set), worker);
      api.emplace(*models, worker, server::Limits{most_words_, most_sentences_});
      GemmMeter gemm({});
      gemm.measure(kGemmSeconds);
      http.serve(*api, 1e9 * gemm.rate().best());
      spdlog::info("ready");
    });
    std::exception_ptr failure;
    while (!signals.wait()) {
      if (!loading.valid() ||
          loading.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
        continue;
      }
      try {
        loading.get();
      } catch (...) {
        failure = std::current_exception();
        break;
      }
    }
    signals.let_through();
    if (!failure) spdlog::info("stopping: requests under way are finished");
    http.stop();
    listening.join();
    if (failure) std::rethrow_exception(failure);
  }

 private:
  server::HttpOptions http_options() const {
    return {.host = host_,
            .port = port_,
            .api_key = api_key_,
            .cors_origin = cors_origin_,
            .json_log = log_format_ == LogFormat::kJson,
            .max_body = max_body_,
            .max_requests = max_requests_,
            .max_connections = max_connections_,
            .timeout = timeout_};
  }

  server::ModelOptions model_options(OptionSet& set) const {
    server::ModelOptions options{
        .folders = models_, .device = compute_.device, .batch_size = batch_size_};
    if (set.find("precision")->was_set) options.precision = precision_;
    return options;
  }
};

}  // namespace

std::unique_ptr<Command> make_serve_command() {
  return std::make_unique<ServeCommand>();
}

}  // namespace bough::cli
