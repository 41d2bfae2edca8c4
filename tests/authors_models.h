// Small models of the program of the paper's authors: the golden weights, with a vocabulary and
// options as that program keeps them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "golden_root.h"

namespace bough {

inline const std::vector<std::string>& authors_cases() {
  static const std::vector<std::string> kCases = {"lm_lstm", "lm_lstm_end_head", "reorder_lstm",
                                                  "translate_bilstm"};
  return kCases;
}

/// expected.json of a folder of tests/golden/models.
inline nlohmann::json authors_numbers(const fs::path& folder = golden_root() / "models" /
                                                               "authors") {
  return nlohmann::json::parse(read_file(folder / "expected.json"));
}

/// model_config.json of a case.
inline nlohmann::json authors_options(const nlohmann::json& numbers, const std::string& name) {
  bool translates = name == "translate_bilstm";
  return {{"model_type", translates               ? "translation"
                         : name == "reorder_lstm" ? "bagorder"
                                                  : "unconditional"},
          {"dec_lstm_dim", numbers.at("hidden")},
          {"enc_lstm_dim", numbers.at("hidden")},
          {"dec_n_layers", translates ? nlohmann::json(1) : numbers.at("layers")},
          {"word_emb_dim", numbers.at("emb")},
          {"n_classes", numbers.at("vocab_size")},
          {"aux_end", name == "lm_lstm_end_head"},
          {"share_inout_emb", true},
          {"num_dir_enc", 2},
          {"device", "cpu"}};
}

/// Words by id, specials as the program has them: `<s>`, …, `w5`, `w6`, …
inline std::vector<std::string> authors_words(const nlohmann::json& numbers) {
  std::vector<std::string> words(numbers.at("vocab_size").get<size_t>());
  for (size_t id = 0; id < words.size(); ++id) words[id] = "w" + std::to_string(id);
  for (const auto& [word, id] : numbers.at("specials").items()) words[id.get<size_t>()] = word;
  return words;
}

/// tok2i.json.
inline nlohmann::json authors_vocabulary(const std::vector<std::string>& words) {
  nlohmann::json ids;
  for (size_t id = 0; id < words.size(); ++id) ids[words[id]] = id;
  return ids;
}

}  // namespace bough
