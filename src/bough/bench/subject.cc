#include "bough/bench/subject.h"

#include <fmt/format.h>
#include <omp.h>

#include <nlohmann/json.hpp>

#include "bough/bench/arithmetic.h"
#include "bough/bench/meter.h"
#include "bough/bench/read_rate.h"
#include "bough/generate/likelihood.h"
#include "bough/model/kernels/dispatch.h"
#include "bough/model/layers/functions.h"
#include "bough/model/model.h"
#include "bough/model/orders.h"

namespace bough {

namespace {

/// A policy that knows nothing but how long sentences are: <end>, or a closed side, is as likely at
/// every slot as makes them 12 words long on average, and all words are alike.
std::unique_ptr<Policy> sentence_policy(const PolicyOptions& sizes, int64_t vocabulary,
                                        uint64_t seed) {
  // A slot that takes a word with probability q and stays empty with 1 − q holds q / (1 − 2q)
  // words; a sentence is one word and two slots: 12 = 1 + 2q / (1 − 2q).
  constexpr double kWordAtSlot = 11.0 / 24.0;
  std::unique_ptr<Policy> policy = make_policy(
      {.options = sizes, .vocabulary = vocabulary, .seed = seed, .embedding_scale = 1e-3});
  constexpr double kOdds = kWordAtSlot / (1.0 - kWordAtSlot);
  if (const SidesHead* sides = policy->heads().sides()) {
    for (Sides open : kAllSides) {
      change_numbers(sides->bias())[index_of(open)] =
          static_cast<float>(count_of(open) * std::log(kOdds));
    }
    return policy;
  }
  auto words = static_cast<double>(vocabulary - kSpecials);
  change_numbers(policy->output().bias)[kEnd] = static_cast<float>(std::log(words / kOdds));
  return policy;
}

}  // namespace

PolicyOptions BenchOptions::policy() const {
  PolicyOptions sizes;  // the defaults are the paper's LSTM
  if (preset == Preset::kPaperTransformer) {
    sizes.policy = PolicyKind::kTransformer;
    sizes.layers = 4;
    sizes.hidden_size = 256;
    sizes.embedding_size = 256;
  }
  if (preset == Preset::kSmallLstm) {
    sizes.hidden_size = 256;
    sizes.embedding_size = 128;
  }
  if (hidden_size > 0) sizes.hidden_size = hidden_size;
  sizes.shape = shape;
  return sizes;
}

int64_t BenchOptions::words() const {
  if (vocabulary > 0) return std::max<int64_t>(vocabulary, kSpecials + 1);
  switch (preset) {
    case Preset::kPaperLstm:
      return 20'090;
    case Preset::kSmallLstm:
      return 5'000;
    case Preset::kPaperTransformer:
      return 40'000;
  }
  return 0;
}

nlohmann::ordered_json report_head(std::string_view what, const BenchOptions& options) {
  return {{"bench", what},
          {"preset", name_of(options.preset)},
          {"vocabulary", options.words()},
          {"batch_size", options.batch_size},
          {"shape", name_of(options.shape)},
          {"threads", omp_get_max_threads()},
          {"kernels", kernel_name()},
          {"seed", options.seed}};
}

nlohmann::ordered_json shape_rates(const PolicyOptions& policy, int64_t vocabulary, int64_t rows) {
  int64_t hidden = policy.hidden_size;
  nlohmann::ordered_json rates = nlohmann::ordered_json::array();
  std::string_view layer = policy.policy == PolicyKind::kLstm ? "recurrent" : "feed-forward";
  for (const GemmShape& shape :
       {GemmShape{std::string(layer), rows, hidden, 4 * hidden},
        GemmShape{fmt::format("{}, backward", layer), rows, 4 * hidden, hidden},
        GemmShape{"output", 256, policy.embedding_size, vocabulary}}) {
    GemmMeter meter(shape);
    meter.measure(0.1);
    GemmRate rate = meter.rate();
    rates.push_back({{"product", shape.name},
                     {"rows", shape.rows},
                     {"depth", shape.depth},
                     {"columns", shape.columns},
                     {"blas", rounded(rate.blas)},
                     {"onednn", rounded(rate.onednn)}});
  }
  return rates;
}

nlohmann::ordered_json memory_bound(const PolicyOptions& sizes, int64_t vocabulary,
                                    Precision precision, double steps_per_second) {
  double size = precision == Precision::kInt8 ? sizeof(int8_t) : sizeof(float);
  double megabytes = 1e-6 * size * step_weights(sizes, vocabulary);
  double rate = read_rate();
  return {{"weights_mb_per_step", rounded(megabytes)},
          {"read_gb_per_second", rounded(rate)},
          {"share", rounded(1e-3 * megabytes * steps_per_second / rate)}};
}

Subject::Subject(const BenchOptions& options, const std::string& folder)
    : options_(options), folder_(folder) {
  if (folder.empty()) {
    untrained_ =
        sentence_policy(options.policy(), options.words(), static_cast<uint64_t>(options.seed));
  } else {
    model_ = load_model(folder);
  }
}

const Policy& Subject::policy() const {
  return model_ ? *model_->policy : *untrained_;
}

Order Subject::order() const {
  return model_ ? orders_of(*model_).front() : Order{};
}

nlohmann::ordered_json Subject::head(std::string_view what) const {
  nlohmann::ordered_json json = report_head(what, options_);
  if (model_) {
    json["preset"] = nullptr;
    json["model"] = folder_;
    json["vocabulary"] = policy().heads().vocabulary();
    json["shape"] = name_of(policy().options().shape);
  }
  return json;
}

}  // namespace bough
