#include "bough/model/model.h"

#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/base/options_json.h"
#include "bough/base/utf8.h"
#include "bough/base/version.h"
#include "bough/model/layers/functions.h"
#include "bough/model/policy.h"
#include "bough/model/runtime.h"
#include "bough/model/seed_folders.h"
#include "bough/model/tensor_file.h"

namespace bough {

namespace {

constexpr std::string_view kFormat = "bough";
constexpr int kVersion = 1;

/// A part of config.json is read into an options struct, and written from it, by its declaration.
template <typename Options>
void read_options(const nlohmann::json& json, const std::string& where, Options& options) {
  OptionSet set;
  options.declare(set);
  set_from_json(set, json, where);
}

struct TaskOption {
  TaskKind task = TaskKind::kLm;
  void declare(OptionSet& set) { set.choice("task", task, "what the model is for"); }
};

struct KeptOption {
  KeptPrecision precision = KeptPrecision::kFloat;
  void declare(OptionSet& set) { set.choice("precision", precision, "what the weights are in"); }
};

nlohmann::ordered_json special_ids() {
  nlohmann::ordered_json ids;
  for (WordId id = 0; id < kSpecials; ++id) ids[std::string(kSpecialNames[id])] = id;
  return ids;
}

/// A field of config.json that has to be there.
template <typename Json>
const Json& field(const Json& config, const char* name, const std::string& where) {
  if (!config.contains(name)) {
    throw DataError("{} has no field \"{}\": the file is damaged or not of bough", where, name);
  }
  return config.at(name);
}

/// What config.json's own checksum is taken of: all of it but that checksum.
std::string config_checksum(nlohmann::ordered_json config) {
  config.erase("checksum");
  return fmt::format("{:08x}", checksum(config.dump()));
}

std::string file_checksum(const fs::path& path) {
  return fmt::format("{:08x}", checksum(read_file(path)));
}

/// Whether there are checksums; DataError where one doesn't fit.
bool check_checksums(const fs::path& folder, const nlohmann::ordered_json& config) {
  std::string where = fmt::format("'{}'", (folder / "config.json").string());
  if (!config.contains("checksum") || !config.contains("checksums")) return false;
  if (config["checksum"] != config_checksum(config)) {
    throw DataError(
        "{} is damaged or was changed: its checksum does not fit. Restore the file (or, if you "
        "meant "
        "it, remove its \"checksum\")",
        where);
  }
  const auto& sums = config["checksums"];
  for (std::string_view name : setting_files()) {
    if (name == "config.json") continue;
    fs::path path = folder / name;
    bool listed = sums.contains(std::string(name));
    if (listed && !fs::exists(path)) {
      throw DataError("there is no '{}', which belongs to the model: restore the file",
                      path.string());
    }
    if (!listed && fs::exists(path)) {
      throw DataError("'{}' does not belong to the model: remove the file", path.string());
    }
    if (listed && sums[std::string(name)] != file_checksum(path)) {
      throw DataError("'{}' is damaged or was changed: its checksum does not fit. Restore the file",
                      path.string());
    }
  }
  return true;
}

/// config.json as it is, of this format and version.
nlohmann::ordered_json parse_config(const fs::path& path) {
  std::string where = fmt::format("'{}'", path.string());
  auto config = nlohmann::ordered_json::parse(read_file(path), nullptr, false);
  if (config.is_discarded() || !config.is_object()) {
    throw DataError("{} is not a JSON object: the file is damaged or not of bough", where);
  }
  if (field(config, "format", where) != kFormat) {
    throw DataError("{} is not a model of bough: \"format\" should be \"{}\"", where, kFormat);
  }
  if (field(config, "version", where) != kVersion) {
    throw DataError("{} has version {}; this program reads version {}", where,
                    config.at("version").dump(), kVersion);
  }
  return config;
}

ModelConfig read_config(const nlohmann::json& config, const std::string& where,
                        int64_t vocabulary_size) {
  if (field(config, "special_ids", where) != nlohmann::json(special_ids())) {
    throw DataError("{}: \"special_ids\" are not the ones this program uses", where);
  }
  if (field(config, "vocabulary", where) != vocabulary_size) {
    throw DataError("{} says that the vocabulary has {} entries, but vocab.txt has {}", where,
                    config.at("vocabulary").dump(), vocabulary_size);
  }
  ModelConfig result;
  TaskOption task;
  read_options({{"task", field(config, "task", where)}}, where, task);
  result.task = task.task;
  read_options(field(config, "architecture", where), where + ", \"architecture\"", result.policy);
  read_options(field(config, "tokenizer", where), where + ", \"tokenizer\"", result.tokenizer);
  if (config.contains("bough") && config.at("bough").is_string()) {
    result.made_by = config.at("bough").get<std::string>();
  }
  if (config.contains("precision")) {
    KeptOption kept;
    read_options({{"precision", config.at("precision")}}, where, kept);
    result.exported = kept.precision;
  }
  if (config.contains("training")) result.training = config.at("training");
  return result;
}

/// With the codes of a file, if it is there.
Tokenizer load_tokenizer(const fs::path& path, const TokenizerOptions& options) {
  if (!fs::exists(path)) return Tokenizer(options);
  return Tokenizer(options, BpeCodes::load(path));
}

}  // namespace

bool has_model(const fs::path& folder) {
  return fs::exists(folder / "config.json");
}

bool has_exported_model(const fs::path& folder) {
  return has_model(folder) && parse_config(folder / "config.json").contains("precision");
}

std::span<const std::string_view> setting_files() {
  static constexpr std::array<std::string_view, 5> kFiles = {
      "config.json", "vocab.txt", "codes.txt", "source_vocab.txt", "source_codes.txt"};
  return kFiles;
}

Model::Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

int64_t Model::parameter_count() const {
  int64_t count = 0;
  for (const auto& [name, tensor] : policy->parameters()) count += tensor.numel();
  return count;
}

Precision Model::usual_precision() const {
  bool fast = uses_kernels(policy->parameters().front().second);
  return fast && config.exported == KeptPrecision::kInt8 ? Precision::kInt8 : Precision::kFloat;
}

PolicyRequest Model::policy_request(const std::string& device) const {
  PolicyRequest request{.options = config.policy,
                        .vocabulary = text.vocabulary.size(),
                        .device = torch::Device(device)};
  if (source) {
    request.source = SourceVocabulary{.size = source->vocabulary.size(), .shared = shares_text};
  }
  return request;
}

std::unique_ptr<Policy> Model::make_policy(uint64_t seed, double embedding_scale,
                                           const std::string& device) const {
  PolicyRequest request = policy_request(device);
  request.seed = seed;
  request.embedding_scale = embedding_scale;
  return with_plain_errors([&] { return bough::make_policy(request); });
}

void Model::check_memory(MemoryUse use, const std::string& device) const {
  bough::check_memory(policy_request(device), use);
}

Model load_model_setting(const fs::path& folder) {
  if (!fs::is_directory(folder)) {
    throw DataError("there is no model folder '{}'", folder.string());
  }
  if (!has_model(folder)) {
    std::vector<std::string> models = models_of_seeds(folder);
    throw DataError("'{}' is not a model folder: it has no config.json{}", folder.string(),
                    models.empty() ? "" : fmt::format("; it holds {}", fmt::join(models, ", ")));
  }
  Model model;
  fs::path path = folder / "config.json";
  nlohmann::ordered_json config = parse_config(path);
  model.has_checksums = check_checksums(folder, config);
  model.text.vocabulary = Vocabulary::load(folder / "vocab.txt");
  model.config =
      read_config(config, fmt::format("'{}'", path.string()), model.text.vocabulary.size());
  model.text.tokenizer = load_tokenizer(folder / "codes.txt", model.config.tokenizer);
  if (traits_of(model.config.task).needs_source_file()) {
    model.shares_text = !fs::exists(folder / "source_vocab.txt");
    model.source = model.text;
    if (!model.shares_text) {
      model.source->vocabulary = Vocabulary::load(folder / "source_vocab.txt");
      model.source->tokenizer = load_tokenizer(folder / "source_codes.txt", model.config.tokenizer);
    }
  }
  return model;
}

std::shared_ptr<const Model> load_model(const fs::path& folder, const std::string& device,
                                        Precision precision) {
  Model model = load_model_setting(folder);
  fs::path weights = folder / "model.safetensors";
  if (!fs::exists(weights)) {
    throw DataError("there is no '{}': train the model further with `bough train --resume`",
                    weights.string());
  }
  model.check_memory(MemoryUse::kWeights, device);
  SafetensorsFile file = SafetensorsFile::read(weights);
  PolicyRequest request = model.policy_request(device);
  request.drawn = false;
  with_plain_errors([&] {
    std::unique_ptr<Policy> policy = make_policy(request);
    load_tensors(file, fmt::format("'{}'", weights.string()), policy->parameters());
    bool is_rounded = model.config.exported == KeptPrecision::kInt8;
    if (precision == Precision::kInt8 && !is_rounded) round_to_bytes(policy->parameters());
    model.policy = std::move(policy);
  });
  return std::make_shared<const Model>(std::move(model));
}

void save_model_setting(const fs::path& folder, const Model& model) {
  nlohmann::ordered_json config = {
      {"format", kFormat},
      {"version", kVersion},
      {"bough", model.config.made_by.empty() ? version() : model.config.made_by},
      {"task", name_of(model.config.task)},
      {"architecture", values_of(model.config.policy)},
      {"tokenizer", values_of(model.config.tokenizer)},
      {"special_ids", special_ids()},
      {"vocabulary", model.text.vocabulary.size()},
      {"training", model.config.training},
  };
  if (model.config.exported) config["precision"] = name_of(*model.config.exported);
  make_folder(folder);
  model.text.vocabulary.save(folder / "vocab.txt");
  if (model.text.tokenizer.codes()) model.text.tokenizer.codes()->save(folder / "codes.txt");
  if (model.source && !model.shares_text) {
    model.source->vocabulary.save(folder / "source_vocab.txt");
    if (model.source->tokenizer.codes()) {
      model.source->tokenizer.codes()->save(folder / "source_codes.txt");
    }
  }
  nlohmann::ordered_json& sums = config["checksums"] = nlohmann::ordered_json::object();
  for (std::string_view name : setting_files()) {
    if (name == "config.json" || !fs::exists(folder / name)) continue;
    sums[std::string(name)] = file_checksum(folder / name);
  }
  config["checksum"] = config_checksum(config);
  write_file(folder / "config.json", config.dump(2) + "\n");
}

}  // namespace bough
