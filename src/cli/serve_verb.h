// bough serve: what it takes.
#pragma once

#include "bough/model/precision.h"
#include "command.h"

namespace bough::cli {

enum class LogFormat { kText, kJson };

}  // namespace bough::cli

template <>
struct bough::EnumNames<bough::cli::LogFormat> {
  using Format = bough::cli::LogFormat;
  static constexpr auto kNames =
      std::to_array<EnumName<Format>>({{Format::kText, "text"}, {Format::kJson, "json"}});
};

namespace bough::cli {

class ServeVerb : public NeuralVerb {
 public:
  std::string_view name() const override { return "serve"; }
  std::string_view summary() const override {
    return "Answer by HTTP, with a page where sentences grow.";
  }
  std::string_view usage() const override { return "serve --model DIR [--model DIR …] [options]"; }
  void declare(OptionSet& set) override {
    set.group("Serving");
    set.list(
           "model", models_, "DIR",
           "a model's folder, or the name of a shipped one; requests name it by the folder's name. "
           "Several may be given; without it all shipped ones")
        .names_model();
    set.text("host", host_, "ADDRESS", "where to listen; 0.0.0.0: for other machines, too");
    set.integer("port", port_, {0, 65535}, "0: any that is free; which one is printed");
    set.text("api-key", api_key_, "KEY",
             "requests need the header `Authorization: Bearer KEY`; better set as BOUGH_API_KEY, "
             "as others can see command lines");
    set.text("cors-origin", cors_origin_, "ORIGIN",
             "pages of this origin may read answers; *: of any");
    set.choice("log-format", log_format_, "how the log is written, with a line for each request");
    set.group("Limits");
    set.number("timeout", timeout_, {0.001, 86'400.0}, "seconds that a request may take");
    set.integer("max-requests", max_requests_, {1, 1'000'000},
                "requests that compute or wait for it; more are told to come again (429)");
    set.integer("max-connections", max_connections_, {1, 10'000},
                "connections that are read from side by side; more wait");
    set.integer("max-body", max_body_, {1, 1 << 30}, "bytes of a request");
    set.integer("most-words", most_words_, {1, 100'000}, "words of a sentence, read or written");
    set.integer("most-sentences", most_sentences_, {1, 1'000'000},
                "sentences for one request, and trees or samples of a sentence");
    set.group("Computing");
    set.integer("batch-size", batch_size_, {1, 1'000'000},
                "sentences written side by side for each model; changes speed, not output");
    set.choice(
        "precision", precision_,
        "numbers to compute with: int8 is several times as fast and nearly as good; unless set, "
        "int8 for models that are kept in it");
    common_.declare(set);
    compute_.declare(set);
    set.find("threads")->help =
        "threads to compute with; 0: all cores but one, which reads and writes HTTP";
  }

 protected:
  std::vector<std::string> models_;
  std::string host_ = "127.0.0.1";
  int64_t port_ = 8080;
  std::string api_key_;
  std::string cors_origin_;
  LogFormat log_format_ = LogFormat::kText;
  double timeout_ = 60.0;
  int64_t max_requests_ = 256;
  int64_t max_connections_ = 256;
  int64_t max_body_ = 1 << 20;
  int64_t most_words_ = 500;
  int64_t most_sentences_ = 256;
  int64_t batch_size_ = 64;
  Precision precision_ = Precision::kFloat;
  CommonOptions common_;
  ComputeOptions compute_;
};

}  // namespace bough::cli
