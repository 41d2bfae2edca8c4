// Importing models of the authors' program: what doesn't fit is named, and ids may stand in any
// order. That the numbers are theirs is in golden_test.cc.
#include "bough/train/import_authors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "authors_models.h"
#include "bough/base/safetensors.h"
#include "bough/model/model.h"
#include "bough/model/policy.h"
#include "error_messages.h"
#include "temp_folder.h"

namespace bough {
namespace {

using nlohmann::json;
using torch::Tensor;

struct NamedShape {
  std::string dtype = "F32";
  std::vector<int64_t> shape;
  std::string bytes;
};
using Weights = std::map<std::string, NamedShape>;

/// A golden case whose files a test may spoil.
class ImportAuthors : public testing::Test {
 protected:
  void take(const std::string& name) {
    options_ = authors_options(numbers_, name);
    words_ = authors_words(numbers_);
    weights_.clear();
    fs::path path = golden_root() / "models" / "authors" / (name + ".safetensors");
    SafetensorsFile file = SafetensorsFile::read(path);
    for (const TensorEntry& entry : file.entries()) {
      weights_[entry.name] = {entry.dtype, entry.shape, std::string(entry.bytes)};
    }
  }

  std::shared_ptr<const Model> import() {
    std::vector<TensorEntry> entries;
    for (const auto& [name, tensor] : weights_) {
      entries.push_back({name, tensor.dtype, tensor.shape, tensor.bytes});
    }
    write_safetensors(folder_.path() / "theirs.safetensors", entries, {});
    if (vocabulary_.is_null()) vocabulary_ = authors_vocabulary(words_);
    put(folder_.path() / "tok2i.json", vocabulary_.dump());
    vocabulary_ = nullptr;
    import_authors({.weights = folder_.path() / "theirs.safetensors",
                    .vocabulary = folder_.path() / "tok2i.json",
                    .options = options_,
                    .out = folder_.path() / "out",
                    .force = true});
    return load_model(folder_.path() / "out");
  }

  void expect_refused(const std::vector<std::string>& parts) {
    std::string message = message_of<DataError>([&] { import(); });
    for (const std::string& part : parts) expect_contains(message, part);
    EXPECT_FALSE(fs::exists(folder_.path() / "out"));
  }

  Tensor tensor(const Model& model, const std::string& name) {
    for (const auto& [own, tensor] : model.policy->parameters()) {
      if (own == name) return tensor;
    }
    ADD_FAILURE() << "no tensor " << name;
    return {};
  }

  json numbers_ = authors_numbers();
  json options_;
  json vocabulary_;  // null: of words_
  std::vector<std::string> words_;
  Weights weights_;
  TempFolder folder_;
};

TEST_F(ImportAuthors, NamesEveryTensorThatDoesNotFit) {
  take("lm_lstm");
  weights_.erase("o2emb.bias");
  weights_["dec_lstm.weight_hh_l2"] = weights_["dec_lstm.weight_hh_l1"];
  weights_["dec_lstm.bias_ih_l1"].dtype = "I32";
  options_["word_emb_dim"] = 11;
  expect_refused({"theirs.safetensors", "there is no 'o2emb.bias' [11]",
                  "'dec_emb.weight' is F32 [40, 10], not F32 or F16 [40, 11]",
                  "'dec_lstm.bias_ih_l1' is I32 [48]", "'dec_lstm.weight_hh_l2' is not known"});
  take("lm_lstm_end_head");
  options_["aux_end"] = false;
  expect_refused({"'o2stop.0.weight' is not known", "'o2stop.3.bias' is not known"});
  take("translate_bilstm");
  weights_["dec_emb.weight"] = weights_["encoder.emb.weight"];  // as a state_dict has it
  weights_["dec_emb.weight"].bytes[7] ^= 1;
  expect_refused({"'dec_emb.weight' is another matrix than 'encoder.emb.weight'"});
}

TEST_F(ImportAuthors, NamesOptionsThatDoNotFit) {
  take("lm_lstm");
  options_.erase("dec_n_layers");
  expect_refused({"options has no \"dec_n_layers\""});
  options_["dec_n_layers"] = "two";
  expect_refused({"options", "dec_n_layers", "two"});
  options_["dec_n_layers"] = 2;
  options_["model_type"] = "transformer";
  expect_refused({"only LSTMs"});
  options_["model_type"] = "poems";
  expect_refused({"model_type", "unconditional", "poems"});
  options_ = json::array();
  expect_refused({"a JSON object is expected"});
  take("translate_bilstm");
  options_["enc_lstm_dim"] = 24;
  expect_refused({"enc_lstm_dim as large as dec_lstm_dim"});
}

TEST_F(ImportAuthors, NamesWordsThatDoNotFit) {
  take("lm_lstm");
  words_[4] = "stop";
  expect_refused({"tok2i.json", "has no '<end>'"});
  take("lm_lstm");
  words_[9] = "two\nlines";
  expect_refused({"id 9", "line break"});
  take("lm_lstm");
  vocabulary_ = authors_vocabulary(words_);
  vocabulary_["w9"] = 10;
  expect_refused({"has the id 10", "from 0 to 39, each once"});
  words_.push_back("more");
  expect_refused({"'dec_emb.weight' is F32 [40, 10], not F32 or F16 [41, 10]"});
  words_.resize(40);
  vocabulary_ = json(words_);
  vocabulary_[8] = "w7";
  expect_refused({"'w7' stands there twice"});
  vocabulary_ = json("words");
  expect_refused({"neither a JSON object"});
}

TEST_F(ImportAuthors, WhatAStateDictHasBesideWeightsIsPassedOver) {
  take("translate_bilstm");
  weights_["START"] = {.dtype = "I64", .shape = {1}, .bytes = std::string(8, '\0')};
  weights_["dec_emb.weight"] = weights_["encoder.emb.weight"];
  EXPECT_EQ(import()->config.task, TaskKind::kTranslate);
}

TEST_F(ImportAuthors, AnOutputLayerOfItsOwnIsTaken) {
  take("lm_lstm");
  weights_["emb2score.weight"] = weights_["dec_emb.weight"];
  std::string& bytes = weights_["emb2score.weight"].bytes;
  std::reverse(bytes.begin(), bytes.end());  // another matrix: no word vectors
  weights_["emb2score.bias"] = weights_["out_bias"];
  weights_.erase("out_bias");
  options_["share_inout_emb"] = false;
  std::shared_ptr<const Model> model = import();
  EXPECT_EQ(model->config.policy.output, OutputKind::kUntied);
  Tensor own = tensor(*model, "output.weight");
  EXPECT_EQ(std::memcmp(own.data_ptr<float>(), bytes.data(), bytes.size()), 0);
}

/// Rows of all tensors that have one for each word, by word.
TEST_F(ImportAuthors, IdsMayStandInAnyOrder) {
  take("reorder_lstm");
  std::shared_ptr<const Model> plain = import();
  for (const char* name : {"dec_emb.weight", "encoder.enc_emb.weight", "out_bias"}) {
    NamedShape& tensor = weights_[name];
    size_t row = tensor.bytes.size() / words_.size();
    std::string turned;
    for (size_t id = words_.size(); id-- > 0;) turned += tensor.bytes.substr(id * row, row);
    tensor.bytes = turned;
  }
  std::reverse(words_.begin(), words_.end());
  std::shared_ptr<const Model> turned = import();
  EXPECT_EQ(turned->text.vocabulary.word(kEnd), "<end>");
  for (WordId id = 0; id < plain->text.vocabulary.size(); ++id) {
    const std::string& word = plain->text.vocabulary.word(id);
    WordId other = id < kSpecials ? id : turned->text.vocabulary.id(word);
    for (const char* name : {"embedding", "encoder.embedding", "output.bias"}) {
      EXPECT_TRUE(tensor(*plain, name)[id].equal(tensor(*turned, name)[other])) << word;
    }
  }
}

}  // namespace
}  // namespace bough
