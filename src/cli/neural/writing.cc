#include "neural/writing.h"

#include <spdlog/spdlog.h>

#include "neural/compute.h"
#include "neural/signals.h"

namespace bough::cli {

ask::OpenModel open_for_writing(const std::string& folder, const WriterOptions& options,
                                const ComputeOptions& compute, OptionSet& set) {
  set_up(compute);
  spdlog::info("seed {}", options.seed);
  ask::OpenModel open =
      ask::open_model(folder, compute.device, precision_said(options.precision, set));
  if (!open.model->has_checksums) {
    spdlog::warn("'{}' is from before models had checksums: damage to its text files goes unseen",
                 folder);
  }
  return open;
}

void tell_of_settings(const std::string& name, const nlohmann::json& tuned) {
  if (!tuned.empty()) spdlog::info("settings by `bough tune` for '{}': {}", name, tuned.dump());
}

Prompt completion_prompt(const WriterOptions& options, std::span<const std::string> sentence,
                         size_t index, const Vocabulary& vocabulary) {
  constexpr size_t kGivenWords = 3;
  RandomStream random(static_cast<uint64_t>(options.seed), Purpose::kValidation, index);
  Demands demands = demand_some_words(sentence, kGivenWords, vocabulary, random);
  options.bounds.apply(demands);
  demands.check();
  return {.source = {}, .demands = std::make_shared<Demands>(std::move(demands))};
}

void warn_of_greedy(const WriterOptions& options, const WriteRequest& request) {
  if (request.best < 2 || options.method() != "greedy") return;
  spdlog::warn(
      "greedy decoding finds one sentence a line: for --nbest give --beam-size, --mbr or "
      "--decode sample");
}

void write_sentences(const WriterOptions& options, const Model& model, const WriteRequest& request,
                     const std::function<void(std::vector<Written>&&)>& take) {
  WriteRequest stoppable = request;
  stoppable.between_steps = stop_where_asked;
  ask::write_sentences(options, model, stoppable, take);
}

}  // namespace bough::cli
