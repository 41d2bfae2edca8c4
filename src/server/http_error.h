// What a request is answered with that can't be answered.
#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace bough::server {

using Json = nlohmann::ordered_json;

class HttpError : public std::runtime_error {
 public:
  HttpError(int status, const std::string& message)
      : std::runtime_error(message), status_(status) {}

  int status() const { return status_; }
  /// Seconds until it is worth asking again; 0: nothing is said of that.
  int retry_after() const { return status_ == 429 || status_ == 503 ? 1 : 0; }
  /// `{"error": {"code": 400, "message": …, "type": …}}`
  Json body() const;

 private:
  int status_;
};

/// The exception as one of these, in its own words.
HttpError as_http_error(const std::exception_ptr& exception);

}  // namespace bough::server
