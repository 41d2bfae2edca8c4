#include "bough/train/export_model.h"

#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/base/version.h"
#include "bough/data/shortlist.h"
#include "bough/model/model.h"
#include "bough/model/policy.h"
#include "bough/model/tensor_file.h"
#include "bough/train/run_folder.h"
#include "bough/train/train_options.h"

namespace bough {

namespace {

/// How it was trained, without the folders of whoever did it.
nlohmann::ordered_json without_folders(nlohmann::ordered_json training) {
  TrainOptions options;
  OptionSet set;
  options.declare(set);
  for (const Option& option : set.options()) {
    bool is_path = option.allowed == "FILE" || option.allowed == "DIR" || option.allowed == "PATH";
    if (!is_path || !training.contains(option.name) || !training[option.name].is_string()) continue;
    std::string path = training[option.name];
    training[option.name] = fs::path(path).lexically_normal().filename().string();
  }
  return training;
}

std::string card_of(const fs::path& folder, KeptPrecision before, KeptPrecision after) {
  std::string card = "# A model of bough\n\n";
  if (fs::exists(folder / "README.md")) card = read_file(folder / "README.md");
  if (!card.ends_with('\n')) card += '\n';
  return card + fmt::format("- exported: weights in {}, from {}, by bough {}\n", name_of(after),
                            name_of(before), version());
}

/// Leaves the most frequent words alone: those stand first. The others are unknown from then on.
void drop_rare_words(int64_t kept, Vocabulary& vocabulary, NamedTensors& weights) {
  int64_t before = vocabulary.size();
  WordCounts ranks;
  for (int64_t id = kSpecials; id < before; ++id) {
    ranks[vocabulary.word(static_cast<WordId>(id))] = before - id;
  }
  vocabulary = Vocabulary::build(ranks, {.max_vocab = kept});
  for (auto& [name, tensor] : weights) {
    bool by_word = name.ends_with("embedding") || name.starts_with("output.");
    if (by_word) tensor = tensor.narrow(0, 0, vocabulary.size()).contiguous();
  }
}

}  // namespace

void export_model(const ExportRequest& request) {
  fs::path from = request.model;
  std::error_code no_model;  // is told of where it is loaded
  if (fs::equivalent(request.out, from, no_model)) {
    throw UsageError("--out '{}' is the model's own folder: give another one", request.out);
  }
  check_room_for_model(request.out, request.force);
  std::shared_ptr<const Model> model = load_model(from);
  SafetensorsFile weights = SafetensorsFile::read(from / "model.safetensors");
  Model setting = load_model_setting(from);
  NamedTensors kept = model->policy->parameters();
  if (request.max_vocab > 0 && request.max_vocab < setting.text.vocabulary.size() - kSpecials) {
    if (setting.source || setting.text.tokenizer.codes() != nullptr) {
      throw UsageError("--max-vocab is for models of whole words that translate nothing");
    }
    drop_rare_words(request.max_vocab, setting.text.vocabulary, kept);
  }
  KeptPrecision before = setting.config.exported.value_or(KeptPrecision::kFloat);
  setting.config.exported = request.precision;
  setting.config.training = without_folders(setting.config.training);

  write_model_folder(request.out, request.force, [&](const fs::path& folder) {
    save_model_setting(folder, setting);
    save_tensors(folder / "model.safetensors", kept, weights.metadata(), request.precision);
    for (std::string_view name : {std::string_view("generation.json"), Shortlist::kFile}) {
      if (fs::exists(from / name)) write_file(folder / name, read_file(from / name));
    }
    write_file(folder / "README.md", card_of(from, before, request.precision));
  });
}

}  // namespace bough
