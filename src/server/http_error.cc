#include "server/http_error.h"

#include <new>

#include "bough/base/error.h"

namespace bough::server {

namespace {

/// As OpenAI's clients know them.
const char* type_of(int status) {
  switch (status) {
    case 401:
      return "authentication_error";
    case 404:
      return "not_found_error";
    case 429:
      return "rate_limit_error";
    case 503:
      return "overloaded_error";
    case 504:
      return "timeout_error";
    default:
      return status < 500 ? "invalid_request_error" : "server_error";
  }
}

int status_of(ExitCode code) {
  switch (code) {
    case ExitCode::kUsage:
    case ExitCode::kBadData:
      return 400;
    case ExitCode::kUnmet:
      return 422;
    case ExitCode::kInterrupted:
      return 503;
    default:
      return 500;
  }
}

}  // namespace

Json HttpError::body() const {
  return {{"error", {{"code", status_}, {"message", what()}, {"type", type_of(status_)}}}};
}

HttpError as_http_error(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const HttpError& error) {
    return error;
  } catch (const Error& error) {
    return {status_of(error.code()), error.what()};
  } catch (const std::bad_alloc&) {
    return {503, "out of memory: ask for less, or again later"};
  } catch (const std::exception& error) {
    return {500, error.what()};
  }
}

}  // namespace bough::server
