// bough bench: how fast this machine trains, generates and evaluates, and what bounds it.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "bench_verbs.h"
#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/base/utf8.h"
#include "bough/bench/bench.h"
#include "bough/bench/bench_eval.h"
#include "bough/bench/growth.h"
#include "neural/compute.h"
#include "neural/neural_commands.h"

namespace bough::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string line(std::string_view what, const Json& spread, std::string_view unit) {
  return fmt::format("  {:<12} {:>8.1f} {}  ({:.1f} … {:.1f})\n", what,
                     spread.at("median").get<double>(), unit, spread.at("low").get<double>(),
                     spread.at("high").get<double>());
}

/// What bounds one sentence at a time.
std::string text_of_memory(const Json& report) {
  if (!report.contains("memory")) return "";
  const Json& memory = report.at("memory");
  return fmt::format("  memory       {:.1f} MB of weights a step, {:.1f} GB/s: share {:.2f}\n",
                     memory.at("weights_mb_per_step").get<double>(),
                     memory.at("read_gb_per_second").get<double>(),
                     memory.at("share").get<double>());
}

/// The report for people.
std::string text_of(const Json& report) {
  std::string text;
  for (const char* name : {"bench", "preset", "model", "shape", "precision", "vocabulary",
                           "batch_size", "oracle", "beta", "length", "count", "samples", "ess",
                           "top_k", "words_per_sentence", "threads", "kernels", "seed"}) {
    if (!report.contains(name) || report.at(name).is_null()) continue;
    const Json& value = report.at(name);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name,
                        value.is_string() ? value.get<std::string>() : value.dump());
  }
  text += fmt::format("\nmedian (lowest … highest) of {} runs\n", report.at("runs").get<int>());
  text += line("sentences", report.at("sentences_per_second"), "a second");
  text += line("steps", report.at("steps_per_second"), "a second");
  text += line("arithmetic", report.at("gflops"), "GFLOP/s");
  const Json& rates = report.at("gemm_gflops");
  text +=
      fmt::format("  gemm         BLAS {:.0f}, oneDNN {:.0f} GFLOP/s at 2048³: gemm_share {:.2f}\n",
                  rates.at("blas").get<double>(), rates.at("onednn").get<double>(),
                  report.at("gemm_share").get<double>());
  for (const Json& shape : report.at("shapes")) {
    text += fmt::format("    {:<20} {:>5} × {:>5} × {:>5}: BLAS {:.0f}, oneDNN {:.0f}\n",
                        shape.at("product").get<std::string>(), shape.at("rows").get<int64_t>(),
                        shape.at("depth").get<int64_t>(), shape.at("columns").get<int64_t>(),
                        shape.at("blas").get<double>(), shape.at("onednn").get<double>());
  }
  text += text_of_memory(report);
  text += fmt::format("  peak memory  {:.0f} MB\n", report.at("peak_memory_mb").get<double>());
  if (report.contains("precision_loss")) {
    const Json& loss = report.at("precision_loss");
    text += fmt::format(
        "  int8         a sentence's log-probability differs by {:.3f} nats from float's (mean; "
        "{:+.3f} with its sign), a step's by {:.4f}; the same action is best at {:.1f} % of "
        "steps\n",
        loss.at("logprob_per_sentence").get<double>(), loss.at("bias_per_sentence").get<double>(),
        loss.at("logprob_per_step").get<double>(),
        100.0 * loss.at("same_best_action").get<double>());
  }
  if (report.contains("phases")) {
    text += "  time        ";
    for (const auto& [phase, share] : report.at("phases").items()) {
      text += fmt::format(" {} {:.1f} %,", phase, 100.0 * share.get<double>());
    }
  }
  text.pop_back();
  return text;
}

std::string text_of_translation(const Json& report) {
  std::string text = text_of(report);
  for (const Json& decoding : report.at("decoding")) {
    text += fmt::format(
        "\ndecoding: {}, {}, batch_size {}\n", decoding.at("way").get<std::string>(),
        decoding.at("precision").get<std::string>(), decoding.at("batch_size").get<int64_t>());
    text += line("sentences", decoding.at("sentences_per_second"), "a second");
    text += line("steps", decoding.at("steps_per_second"), "a second");
    text += line("arithmetic", decoding.at("gflops"), "GFLOP/s");
    text += fmt::format("  gemm_share   {:.2f}\n", decoding.at("gemm_share").get<double>());
    if (decoding.contains("greedy_sentences")) {
      text += fmt::format("  costs        {:.2f} greedy sentences\n",
                          decoding.at("greedy_sentences").get<double>());
    }
    text += text_of_memory(decoding);
    text.pop_back();
  }
  return text;
}

std::string text_of_growth(const Json& report) {
  std::string text = "bench growth: milliseconds, and the share of the GEMM rate";
  for (const auto& [name, points] : report.at("growth").items()) {
    text += "\n" + name;
    for (const Json& point : points) {
      text +=
          fmt::format("\n  {:>8} {:>9.2f} ms  {:.2f}", point.at("size").get<int64_t>(),
                      point.at("milliseconds").get<double>(), point.at("gemm_share").get<double>());
    }
  }
  return text;
}

std::string text_of_eval(const Json& report) {
  std::string text = fmt::format(
      "bench eval, {} pairs, {:.1f} words each, threads {}, seed {}\nmedian (lowest … highest) of "
      "{} runs; the machine multiplies at {:.0f} GFLOP/s\n",
      report.at("pairs").get<int64_t>(), report.at("words_per_sentence").get<double>(),
      report.at("threads").get<int64_t>(), report.at("seed").get<int64_t>(),
      report.at("runs").get<int64_t>(), report.at("gemm_gflops").get<double>());
  for (const auto& [name, entry] : report.at("metrics").items()) {
    text += line(name, entry.at("sentences_per_second"), "pairs a second");
    text += fmt::format("  {:<12} {:>8.1f} pairs a GFLOP of matrix products\n", "",
                        entry.at("sentences_per_gflop").get<double>());
  }
  text.pop_back();
  return text;
}

/// One benchmark: its options, the function that runs it, and its report for people.
template <typename Options, Json (*kRun)(const Options&, const BenchNote&),
          std::string (*kText)(const Json&) = text_of>
class BenchCommand : public BenchVerb<Options> {
 public:
  using BenchVerb<Options>::BenchVerb;

  void run(OptionSet& /*set*/, std::span<const std::string> arguments) override {
    no_arguments(arguments, this->name());
    if (this->compute_.device != "cpu") {
      throw UsageError("bough {} measures the CPU: --device takes cpu, not '{}'", this->name(),
                       for_message(this->compute_.device));
    }
    set_up(this->compute_);
    Json report = kRun(this->options_, [](const std::string& note) { spdlog::info(note); });
    OutputFile output("-");
    output.write_line(this->json_ ? report.dump(2) : kText(report));
    output.commit();
  }
};

}  // namespace

std::vector<std::unique_ptr<Command>> make_bench_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(std::make_unique<BenchCommand<TrainBenchOptions, bench_train>>(kBenchTrain));
  commands.push_back(
      std::make_unique<BenchCommand<TranslateBenchOptions, bench_translate, text_of_translation>>(
          kBenchTranslate));
  commands.push_back(
      std::make_unique<BenchCommand<GenerateBenchOptions, bench_generate>>(kBenchGenerate));
  commands.push_back(std::make_unique<BenchCommand<ScoreBenchOptions, bench_score>>(kBenchScore));
  commands.push_back(
      std::make_unique<BenchCommand<GrowthBenchOptions, bench_growth, text_of_growth>>(
          kBenchGrowth));
  commands.push_back(
      std::make_unique<BenchCommand<EvalBenchOptions, bench_eval, text_of_eval>>(kBenchEval));
  return commands;
}

}  // namespace bough::cli
