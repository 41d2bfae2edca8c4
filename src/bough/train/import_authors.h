// Models of the program of the paper's authors (github.com/wellecks/nonmonotonic_text): its LSTM
// weights, vocabulary and options become a model folder that every verb takes.
//
//     weights      its state_dict as safetensors, by its names: dec_lstm.weight_ih_l0, o2emb.bias
//     vocabulary   tok2i.json ({word: id}, or a list of words), or a text file with a word a line
//     options      model_config.json: model_type, dec_lstm_dim, dec_n_layers, word_emb_dim, …;
//                  others, which are about training, are passed over
//
// Its special symbols may have any ids; bough's come first, and rows are put in that order. Where
// its LSTM has two biases, ours has their sum. Its Transformer differs from ours and can't be
// taken.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bough/base/file.h"
#include "bough/text/tokenizer.h"

namespace bough {

struct AuthorsModel {
  fs::path weights;
  fs::path vocabulary;
  nlohmann::json options;
  std::string options_name = "options";  // as messages name them
  TokenizerOptions tokenizer = {};       // how lines become the vocabulary's words
  std::string codes = {};  // a file of byte-pair codes, where words are cut into pieces
  std::string out;
  bool force = false;  // to overwrite a model in `out`
};

/// DataError names what is unknown, missing or of another shape; UsageError where `out` holds
/// something that would be lost.
void import_authors(const AuthorsModel& request);

}  // namespace bough
