// What the server counts, as Prometheus reads it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "server/models.h"

namespace bough::server {

class Metrics {
 public:
  /// A request that was answered; `route` is one of the server's own.
  void add_request(std::string_view route, int status, double seconds);
  void add_words(int64_t words) { words_ += words; }

  std::atomic<int64_t> under_way{0};   // requests that compute or wait for it
  std::atomic<int64_t> abandoned{0};   // requests whose client went away
  std::atomic<double> gemm_rate{0.0};  // of this machine's matrix products, in operations a second

  /// `models` may be null: none is loaded yet.
  std::string text(const Models* models, const BatchWorker& worker) const;

 private:
  static constexpr std::array kBounds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                         0.5,   1.0,  2.5,   5.0,  10.0};
  struct Latencies {
    std::array<int64_t, kBounds.size()> at_most{};
    int64_t count = 0;
    double sum = 0.0;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, int64_t> requests_;  // by route and status
  std::map<std::string, Latencies> latencies_;               // by route
  std::atomic<int64_t> words_{0};
};

}  // namespace bough::server
