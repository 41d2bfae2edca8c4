#include "server/json_log.h"

#include <fmt/chrono.h>
#include <spdlog/formatter.h>
#include <spdlog/spdlog.h>

#include <cstdio>

namespace bough::server {

namespace {

std::string line_of(const Json& fields, std::time_t time) {
  Json line{{"time", fmt::format("{:%FT%TZ}", fmt::gmtime(time))}};
  line.update(fields);
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

class JsonFormatter : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& target) override {
    auto text = [](spdlog::string_view_t view) { return std::string(view.data(), view.size()); };
    std::string line = line_of({{"level", text(spdlog::level::to_string_view(message.level))},
                                {"message", text(message.payload)}},
                               spdlog::log_clock::to_time_t(message.time));
    target.append(line.data(), line.data() + line.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonFormatter>();
  }
};

}  // namespace

void use_json_log() {
  spdlog::set_formatter(std::make_unique<JsonFormatter>());
}

void log_json(const Json& fields) {
  std::string line = line_of(fields, std::time(nullptr));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace bough::server
