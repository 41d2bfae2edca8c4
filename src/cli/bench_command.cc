// bough bench: how fast this machine trains and generates, and what bounds it.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/utf8.h"
#include "bough/bench/bench.h"
#include "commands.h"

namespace bough::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string line(std::string_view what, const Json& spread, std::string_view unit) {
  return fmt::format("  {:<12} {:>8.1f} {}  ({:.1f} … {:.1f})\n", what,
                     spread.at("median").get<double>(), unit, spread.at("low").get<double>(),
                     spread.at("high").get<double>());
}

/// The report for people.
std::string text_of(const Json& report) {
  std::string text;
  for (const char* name : {"bench", "preset", "precision", "vocabulary", "batch_size", "oracle",
                           "beta", "threads", "kernels", "seed"}) {
    if (!report.contains(name)) continue;
    const Json& value = report.at(name);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name,
                        value.is_string() ? value.get<std::string>() : value.dump());
  }
  text += fmt::format("\nmedian (lowest … highest) of {} runs\n", report.at("runs").get<int>());
  text += line("sentences", report.at("sentences_per_second"), "a second");
  text += line("steps", report.at("steps_per_second"), "a second");
  text += line("arithmetic", report.at("gflops"), "GFLOP/s");
  const Json& rates = report.at("gemm_gflops");
  text += fmt::format(
      "  gemm         BLAS {:.0f}, oneDNN {:.0f} GFLOP/s at 2048³: gemm_share {:.2f}\n",
      rates.at("blas").get<double>(), rates.at("onednn").get<double>(),
      report.at("gemm_share").get<double>());
  for (const Json& shape : report.at("shapes")) {
    text += fmt::format("    {:<20} {:>5} × {:>5} × {:>5}: BLAS {:.0f}, oneDNN {:.0f}\n",
                        shape.at("product").get<std::string>(), shape.at("rows").get<int64_t>(),
                        shape.at("depth").get<int64_t>(), shape.at("columns").get<int64_t>(),
                        shape.at("blas").get<double>(), shape.at("onednn").get<double>());
  }
  text += fmt::format("  peak memory  {:.0f} MB\n", report.at("peak_memory_mb").get<double>());
  text += "  time         ";
  for (const auto& [phase, share] : report.at("phases").items()) {
    text += fmt::format("{} {:.1f} %  ", phase, 100.0 * share.get<double>());
  }
  text.resize(text.find_last_not_of(' ') + 1);
  return text;
}

void print(const Json& report, bool as_json) {
  OutputFile output("-");
  output.write_line(as_json ? report.dump(2) : text_of(report));
  output.commit();
}

void say(const std::string& note) {
  spdlog::info(note);
}

class BenchTrainCommand : public Command {
 public:
  std::string_view name() const override { return "bench train"; }
  std::string_view summary() const override {
    return "Measure training beside the machine's own matrix products.";
  }
  std::string_view usage() const override { return "bench train [--preset NAME] [options]"; }
  void declare(OptionSet& set) override {
    options_.declare(set);
    set.flag("json", json_, "print JSON");
    common_.declare(set);
    compute_.declare(set);
  }
  void run(std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    if (compute_.device != "cpu") {
      throw UsageError("bough {} measures the CPU: --device takes cpu, not '{}'", name(),
                       for_message(compute_.device));
    }
    compute_.apply();
    print(bench_train(options_, say), json_);
  }

 private:
  TrainBenchOptions options_;
  bool json_ = false;
  CommonOptions common_;
  ComputeOptions compute_;
};

}  // namespace

std::vector<std::unique_ptr<Command>> make_bench_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(std::make_unique<BenchTrainCommand>());
  return commands;
}

}  // namespace bough::cli
