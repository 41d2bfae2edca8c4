#include "writing.h"

#include <spdlog/spdlog.h>

#include "bough/base/error.h"
#include "bough/generate/settings.h"
#include "signals.h"

namespace bough::cli {

Model Writing::open(Task task, std::string_view verb, std::string_view way, OptionSet& set) const {
  std::string settings = settings_name(way, options);
  compute.apply();
  spdlog::info("seed {}", options.seed);
  Model model = load_model(folder, compute.device);
  check_task(model, task, folder, verb);
  apply_tuned_settings(folder, settings, set);
  model.policy->set_precision(options.precision);
  return model;
}

Prompt Writing::completion_prompt(std::span<const std::string> sentence, size_t index,
                                  const Vocabulary& vocabulary) const {
  constexpr size_t kGivenWords = 3;
  RandomStream random(static_cast<uint64_t>(options.seed), Purpose::kValidation, index);
  Demands demands = demand_some_words(sentence, kGivenWords, vocabulary, random);
  options.bounds.apply(demands);
  demands.check();
  return {.source = {}, .demands = std::make_shared<Demands>(std::move(demands))};
}

void Writing::write(const Model& model, const WriteRequest& request,
                    const std::function<void(std::vector<Written>&&)>& take) const {
  const std::atomic<bool>& stop = stop_requested();
  Writer(*model.policy, model.text, options).write(request, [&](std::vector<Written>&& written) {
    take(std::move(written));
    if (stop) throw Interrupted("interrupted");
  });
}

}  // namespace bough::cli
