// bough info: what a model is.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/base/file.h"
#include "bough/data/shortlist.h"
#include "bough/model/self_test.h"
#include "info_verb.h"
#include "neural/compute.h"
#include "neural/neural_commands.h"

namespace bough::cli {

namespace {

/// Whether a line of metrics.jsonl closes an epoch; others, and damaged ones, are passed over.
bool closes_epoch(const nlohmann::ordered_json& line) {
  auto is = [&](const char* name, auto check) {
    return line.contains(name) && (line.at(name).*check)();
  };
  using Json = nlohmann::ordered_json;
  return line.is_object() && is("train_loss", &Json::is_number) && is("epoch", &Json::is_number) &&
         is("beta", &Json::is_number) && is("best", &Json::is_boolean) &&
         (!line.contains("valid_loss") || is("valid_loss", &Json::is_number));
}

std::vector<nlohmann::ordered_json> epochs_of(const fs::path& folder) {
  std::vector<nlohmann::ordered_json> epochs;
  fs::path path = folder / "metrics.jsonl";
  if (!fs::exists(path)) return epochs;
  LineReader reader(path.string());
  std::string line;
  while (reader.next(line)) {
    auto json = nlohmann::ordered_json::parse(line, nullptr, false);
    if (closes_epoch(json)) epochs.push_back(std::move(json));
  }
  return epochs;
}

class InfoCommand : public InfoVerb {
 public:
  void run(OptionSet& /*set*/, std::span<const std::string> arguments) override {
    no_arguments(arguments, name());
    set_up(compute_);
    std::shared_ptr<const Model> model = load_model(model_, compute_.device);
    SelfTest test = test_model(*model);
    nlohmann::ordered_json info = describe(*model, test);
    OutputFile output("-");
    output.write_line(json_ ? info.dump(2) : text_of(info));
    output.commit();
    if (!test.passed) throw RunError("the self-test failed: {}", test.report);
  }

 private:
  nlohmann::ordered_json describe(const Model& model, const SelfTest& test) const {
    const PolicyOptions& policy = model.config.policy;
    std::vector<std::string> frequent;
    for (WordId id = kSpecials;
         id < std::min<int64_t>(model.text.vocabulary.size(), kSpecials + 10); ++id) {
      frequent.push_back(model.text.vocabulary.word(id));
    }
    nlohmann::ordered_json source_words;  // null where nothing is translated
    if (model.source) source_words = model.source->vocabulary.size();
    nlohmann::ordered_json translations;  // null without a shortlist
    if (fs::path list = fs::path(model_) / Shortlist::kFile; model.source && fs::exists(list)) {
      translations =
          Shortlist::load(list, model.source->vocabulary, model.text.vocabulary).translations();
    }
    return {{"task", name_of(model.config.task)},
            {"policy", name_of(policy.policy)},
            {"layers", policy.layers},
            {"hidden_size", policy.hidden_size},
            {"embedding_size", policy.embedding_size},
            {"output", name_of(policy.output)},
            {"end_head", policy.end_head},
            {"shape", name_of(policy.shape)},
            {"encoder", name_of(policy.encoder)},
            {"slot_context", name_of(policy.slot_context)},
            {"parameters", model.parameter_count()},
            {"precision", name_of(model.config.exported.value_or(KeptPrecision::kFloat))},
            {"exported", model.config.exported.has_value()},
            {"bytes", bytes_on_disk(model_)},
            {"vocabulary", model.text.vocabulary.size()},
            {"bpe_merges", merges_of(model.text.tokenizer)},
            {"source_vocabulary", source_words},
            {"shortlist", translations},
            {"frequent_words", frequent},
            {"made_by", model.config.made_by},
            {"training", model.config.training},
            {"epochs", epochs_of(model_)},
            {"has_checksums", model.has_checksums},
            {"self_test", {{"passed", test.passed}, {"report", test.report}}}};
  }

  static size_t merges_of(const Tokenizer& tokenizer) {
    return tokenizer.codes() == nullptr ? 0 : tokenizer.codes()->merges.size();
  }

  static std::string text_of(const nlohmann::ordered_json& info) {
    auto text = [&](const char* key) {
      const auto& value = info.at(key);
      return value.is_string() ? value.get<std::string>() : value.dump();
    };
    std::string result;
    auto line = [&](std::string_view name, const std::string& value) {
      result += fmt::format("{:<12} {}\n", name, value);
    };
    line("task", text("task"));
    line("policy",
         fmt::format("{}, {} × {} units, embeddings {}, {} output, shape by {}{}", text("policy"),
                     text("layers"), text("hidden_size"), text("embedding_size"), text("output"),
                     text("shape"), info["end_head"] ? " head" : ""));
    line("reads",
         fmt::format("encoder {}, slot context {}", text("encoder"), text("slot_context")));
    line("parameters", fmt::format("{} in {}", text("parameters"), text("precision")));
    line("on disk", fmt::format("{}{}", in_megabytes(info["bytes"].get<uint64_t>()),
                                info["exported"] ? "; an export, without training state" : ""));
    line("vocabulary",
         fmt::format("{}; most frequent: {}", text("vocabulary"),
                     fmt::join(info["frequent_words"].get<std::vector<std::string>>(), " ")));
    if (info["bpe_merges"] > 0) line("pieces", text("bpe_merges") + " byte-pair merges");
    if (!info["source_vocabulary"].is_null()) {
      line("source", fmt::format("vocabulary {}", text("source_vocabulary")));
    }
    if (!info["shortlist"].is_null()) {
      line("shortlist", text("shortlist") + " translations of source words");
    }
    if (info["made_by"] != "") line("made by", "bough " + text("made_by"));
    const auto& training = info["training"];
    if (training.contains("oracle")) {
      line("oracle", training["oracle"].get<std::string>());
      bool several = training.contains("orders") && training["orders"].size() > 1;
      if (several) line("orders", training["orders"].dump());
      line("seed", training.value("seed", nlohmann::ordered_json(0)).dump());
    }
    for (const auto& epoch : info["epochs"]) {
      std::string valid =
          epoch.contains("valid_loss")
              ? fmt::format(", validation {:.4f}", epoch["valid_loss"].get<double>())
              : "";
      line(fmt::format("epoch {}", epoch["epoch"].dump()),
           fmt::format("loss {:.4f}{}, β {:.2f}{}", epoch["train_loss"].get<double>(), valid,
                       epoch["beta"].get<double>(), epoch["best"].get<bool>() ? " (kept)" : ""));
    }
    line("checksums", info["has_checksums"] ? "of every file fit" : "none: from an older bough");
    line("self-test", fmt::format("{}: {}", info["self_test"]["passed"] ? "passed" : "FAILED",
                                  info["self_test"]["report"].get<std::string>()));
    result.pop_back();
    return result;
  }
};

}  // namespace

std::unique_ptr<Command> make_info_command() {
  return std::make_unique<InfoCommand>();
}

}  // namespace bough::cli
