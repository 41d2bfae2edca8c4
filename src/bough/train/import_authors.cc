#include "bough/train/import_authors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "bough/base/error.h"
#include "bough/base/options_json.h"
#include "bough/base/text_reader.h"
#include "bough/base/utf8.h"
#include "bough/base/version.h"
#include "bough/model/model.h"
#include "bough/model/policy.h"
#include "bough/model/runtime.h"
#include "bough/model/tensor_file.h"
#include "bough/train/run_folder.h"

namespace bough {

/// What their program calls its tasks.
enum class AuthorsTask { kUnconditional, kBagOrder, kTranslation };
template <>
struct EnumNames<AuthorsTask> {
  static constexpr auto kNames =
      std::to_array<EnumName<AuthorsTask>>({{AuthorsTask::kUnconditional, "unconditional"},
                                            {AuthorsTask::kBagOrder, "bagorder"},
                                            {AuthorsTask::kTranslation, "translation"}});
};

/// The oracles that it trains with.
enum class AuthorsOracle { kUniform, kLeftRight };
template <>
struct EnumNames<AuthorsOracle> {
  static constexpr auto kNames = std::to_array<EnumName<AuthorsOracle>>(
      {{AuthorsOracle::kUniform, "uniform"}, {AuthorsOracle::kLeftRight, "leftright"}});
};

namespace {

using torch::Tensor;

/// Those of their options that say what the network is, by their names.
struct AuthorsOptions {
  AuthorsTask task = AuthorsTask::kUnconditional;
  int64_t hidden = 0;
  int64_t layers = 0;
  int64_t embedding = 0;
  bool tied = true;
  bool end_head = false;
  double dropout = 0.0;
  int64_t encoder_hidden = 0;  // 0: as wide as the decoder
  int64_t encoder_layers = 1;
  int64_t directions = 2;
  AuthorsOracle oracle = AuthorsOracle::kUniform;

  void declare(OptionSet& set) {
    constexpr Range<int64_t> kSize = {1, 65536};
    set.choice("model_type", task, "what the model is for").required = true;
    set.integer("dec_lstm_dim", hidden, kSize, "units of a layer").required = true;
    set.integer("dec_n_layers", layers, {1, 64}, "layers").required = true;
    set.integer("word_emb_dim", embedding, kSize, "width of a word's vector").required = true;
    set.flag("share_inout_emb", tied, "whether the output layer shares the word vectors' matrix");
    set.flag("aux_end", end_head, "whether <end> has a head of its own");
    set.number("dropout", dropout, {0.0, 0.99}, "share of units dropped while training");
    set.integer("enc_lstm_dim", encoder_hidden, kSize, "units of an encoder's layer");
    set.integer("enc_n_layers", encoder_layers, {1, 64}, "layers of an encoder");
    set.integer("num_dir_enc", directions, {1, 2}, "directions that an encoder reads in");
    set.choice("oracle", oracle, "which order it was trained in");
  }
};

AuthorsOptions read_options(const nlohmann::json& given, const std::string& where) {
  if (!given.is_object()) {
    throw DataError("{}: a JSON object is expected, as model_config.json of their program is",
                    where);
  }
  if (given.value("model_type", nlohmann::json()) == "transformer") {
    throw DataError("{}: it is a Transformer, which differs from bough's: only LSTMs can be taken",
                    where);
  }
  AuthorsOptions options;
  OptionSet set;
  options.declare(set);
  nlohmann::json known = nlohmann::json::object();
  for (const Option& option : set.options()) {
    if (given.contains(option.name)) {
      known[option.name] = given.at(option.name);
    } else if (option.required) {
      throw DataError("{} has no \"{}\", {}", where, option.name, option.help);
    }
  }
  set_from_json(set, known, where);
  if (options.task != AuthorsTask::kTranslation) return options;
  bool fits = options.layers == 1 && options.encoder_layers == 1 && options.directions == 2 &&
              (options.encoder_hidden == 0 || options.encoder_hidden == options.hidden);
  if (!fits) {
    throw DataError(
        "{}: of models that translate, those can be taken that have dec_n_layers 1, enc_n_layers "
        "1, "
        "num_dir_enc 2, and enc_lstm_dim as large as dec_lstm_dim",
        where);
  }
  return options;
}

// ---- Words

/// The words of tok2i.json by id.
std::vector<std::string> words_of_json(const fs::path& path) {
  std::string where = fmt::format("'{}'", path.string());
  auto json = nlohmann::json::parse(read_file(path), nullptr, false);
  if (json.is_array() &&
      std::ranges::all_of(json, [](const auto& word) { return word.is_string(); })) {
    return json.get<std::vector<std::string>>();
  }
  if (!json.is_object()) {
    throw DataError("{} is neither a JSON object of words and ids nor a list of words", where);
  }
  std::vector<std::string> words(json.size());
  std::vector<bool> taken(json.size(), false);
  for (const auto& [word, id] : json.items()) {
    bool fits = id.is_number_integer() && id >= 0 && id < json.size() && !taken[id.get<size_t>()];
    if (!fits) {
      throw DataError(
          "{}: '{}' has the id {}, but {} words should have those from 0 to {}, each once", where,
          for_message(word), id.dump(), json.size(), json.size() - 1);
    }
    taken[id.get<size_t>()] = true;
    words[id.get<size_t>()] = word;
  }
  return words;
}

struct AuthorsWords {
  Vocabulary vocabulary;
  Tensor rows;  // [words] which of their rows each of ours is
};

AuthorsWords read_words(const fs::path& path) {
  std::string where = fmt::format("'{}'", path.string());
  std::vector<std::string> words =
      path.extension() == ".json" ? words_of_json(path) : read_lines(path.string());
  std::map<std::string_view, int64_t> ids;
  for (const std::string& word : words) {
    auto id = static_cast<int64_t>(ids.size());
    if (word.empty() || word.find_first_of("\r\n") != std::string::npos ||
        find_bad_utf8(word) != std::string::npos) {
      throw DataError("{}: the word with id {} is empty, not UTF-8, or has a line break", where,
                      id);
    }
    if (!ids.emplace(word, id).second) {
      throw DataError("{}: the word '{}' stands there twice", where, for_message(word));
    }
  }
  std::vector<int64_t> rows;
  for (std::string_view special : kSpecialNames) {
    auto found = ids.find(special);
    if (found == ids.end()) {
      throw DataError("{} has no '{}': the vocabularies of their program have {}", where, special,
                      fmt::join(kSpecialNames, ", "));
    }
    rows.push_back(found->second);
  }
  WordCounts ranks;  // the vocabulary puts the greater ones first
  for (size_t id = 0; id < words.size(); ++id) {
    if (std::ranges::find(kSpecialNames, words[id]) != std::end(kSpecialNames)) continue;
    rows.push_back(static_cast<int64_t>(id));
    ranks[words[id]] = static_cast<int64_t>(words.size() - id);
  }
  return {.vocabulary = Vocabulary::build(ranks, {}), .rows = torch::tensor(rows)};
}

// ---- Weights

/// Their tensors by their names. What doesn't fit is collected, and said all at once.
class AuthorsTensors {
 public:
  explicit AuthorsTensors(const fs::path& path)
      : where_(fmt::format("'{}'", path.string())), file_(SafetensorsFile::read(path)) {}

  bool has(const std::string& name) const { return file_.find(name) != nullptr; }

  /// Zeros where it doesn't fit.
  Tensor take(const std::string& name, const std::vector<int64_t>& shape) {
    taken_.insert(name);
    const TensorEntry* entry = file_.find(name);
    if (entry == nullptr) {
      problems_.push_back(fmt::format("there is no '{}' [{}]", name, fmt::join(shape, ", ")));
      return torch::zeros(shape);
    }
    Tensor floats = entry->shape == shape ? plain_floats(*entry) : Tensor();
    if (floats.defined()) return floats;
    problems_.push_back(fmt::format("'{}' is {} [{}], not F32 or F16 [{}]", name, entry->dtype,
                                    fmt::join(entry->shape, ", "), fmt::join(shape, ", ")));
    return torch::zeros(shape);
  }

  /// What their program keeps beside its weights.
  void pass_over(const std::string& name) { taken_.insert(name); }

  void complain(std::string problem) { problems_.push_back(std::move(problem)); }

  /// DataError where something didn't fit, or was left over.
  void check() {
    for (const TensorEntry& entry : file_.entries()) {
      if (!taken_.contains(entry.name)) {
        problems_.push_back(fmt::format("'{}' is not known", entry.name));
      }
    }
    if (problems_.empty()) return;
    throw DataError("{} doesn't fit the options and the vocabulary: {}", where_,
                    fmt::join(problems_, "; "));
  }

 private:
  std::string where_;
  SafetensorsFile file_;
  std::set<std::string> taken_;
  std::vector<std::string> problems_;
};

/// Their weights by our names.
class Conversion {
 public:
  Conversion(const AuthorsOptions& options, const AuthorsWords& words, AuthorsTensors& from)
      : options_(options), words_(words), from_(from) {}

  NamedTensors run() {
    int64_t hidden = options_.hidden;
    int64_t width = options_.embedding;
    bool translates = options_.task == AuthorsTask::kTranslation;
    add("embedding", by_word(translates ? "encoder.emb.weight" : "dec_emb.weight", {width}));
    for (int64_t i = 0; i < options_.layers; ++i) {
      add_lstm(fmt::format("lstm.{}", i), "dec_lstm", fmt::format("_l{}", i),
               i == 0 ? width : hidden);
    }
    add_linear("projection", "o2emb", hidden, width);
    if (options_.tied) {
      add("output.bias", by_word("out_bias", {}));
    } else {
      add("output.weight", by_word("emb2score.weight", {width}));
      add("output.bias", by_word("emb2score.bias", {}));
    }
    if (options_.end_head) {
      add_linear("end_head.inner", "o2stop.0", hidden, width);
      add_linear("end_head.outer", "o2stop.3", width, 1);
    }
    if (options_.task == AuthorsTask::kBagOrder) {
      add("encoder.embedding", by_word("encoder.enc_emb.weight", {width}));
      add_linear("encoder.linear", "encoder.emb2out", width, hidden);
    }
    if (translates) add_source();
    from_.pass_over("START");  // the id of <s>
    return std::move(ours_);
  }

 private:
  void add(const std::string& name, const Tensor& tensor) { ours_.emplace_back(name, tensor); }

  /// A tensor with a row for each word, in our order.
  Tensor by_word(const std::string& name, std::vector<int64_t> row) {
    row.insert(row.begin(), words_.vocabulary.size());
    return from_.take(name, row).index_select(0, words_.rows);
  }

  void add_linear(const std::string& name, const std::string& theirs, int64_t from, int64_t to) {
    add(name + ".weight", from_.take(theirs + ".weight", {to, from}));
    add(name + ".bias", from_.take(theirs + ".bias", {to}));
  }

  void add_lstm(const std::string& name, const std::string& theirs, const std::string& end,
                int64_t input) {
    int64_t gates = 4 * options_.hidden;
    add(name + ".input_weight", from_.take(theirs + ".weight_ih" + end, {gates, input}));
    add(name + ".recurrent_weight",
        from_.take(theirs + ".weight_hh" + end, {gates, options_.hidden}));
    add(name + ".bias", from_.take(theirs + ".bias_ih" + end, {gates}) +
                            from_.take(theirs + ".bias_hh" + end, {gates}));
  }

  void add_source() {
    int64_t hidden = options_.hidden;
    int64_t width = options_.embedding;
    add_lstm("encoder.0.forwards", "encoder.rnn", "_l0", width);
    add_lstm("encoder.0.backwards", "encoder.rnn", "_l0_reverse", width);
    add_linear("encoder.start", "enc_to_h0", 2 * hidden, hidden);
    // Theirs are one matrix of [source; state] and one of [state; source].
    Tensor scored = from_.take("attention.attn.weight", {hidden, 3 * hidden});
    Tensor combined = from_.take("attention.attn_combine.weight", {hidden, 3 * hidden});
    add("attention.source.weight",
        torch::cat({scored.narrow(1, 0, 2 * hidden), combined.narrow(1, hidden, 2 * hidden)}));
    add("attention.state.weight",
        torch::cat({scored.narrow(1, 2 * hidden, hidden), combined.narrow(1, 0, hidden)}));
    add("attention.score", from_.take("attention.attn_v.weight", {1, hidden}).squeeze(0));
    // One matrix has two names in their program.
    if (!from_.has("dec_emb.weight")) return;
    bool same = by_word("dec_emb.weight", {width}).equal(ours_.front().second);
    if (!same) from_.complain("'dec_emb.weight' is another matrix than 'encoder.emb.weight'");
  }

  const AuthorsOptions& options_;
  const AuthorsWords& words_;
  AuthorsTensors& from_;
  NamedTensors ours_;
};

// ---- The model

TaskKind task_of(AuthorsTask task) {
  switch (task) {
    case AuthorsTask::kUnconditional:
      return TaskKind::kLm;
    case AuthorsTask::kBagOrder:
      return TaskKind::kReorder;
    case AuthorsTask::kTranslation:
      return TaskKind::kTranslate;
  }
  return TaskKind::kLm;
}

Model setting_of(const AuthorsModel& request, const AuthorsOptions& options,
                 Vocabulary vocabulary) {
  Model model;
  model.config.task = task_of(options.task);
  PolicyOptions& policy = model.config.policy;
  policy.encoder = traits_of(model.config.task).usual_encoder(PolicyKind::kLstm);
  policy.layers = options.layers;
  policy.hidden_size = options.hidden;
  policy.embedding_size = options.embedding;
  policy.output = options.tied ? OutputKind::kTied : OutputKind::kUntied;
  policy.dropout = options.dropout;
  policy.end_head = options.end_head;
  model.config.tokenizer = request.tokenizer;
  model.config.exported = KeptPrecision::kFloat;  // there is no state to go on training from
  if (request.options.contains("oracle")) {
    bool left_right = options.oracle == AuthorsOracle::kLeftRight;
    model.config.training["oracle"] =
        name_of(left_right ? OracleKind::kLeftRight : OracleKind::kUniform);
  }
  model.text.vocabulary = std::move(vocabulary);
  model.text.tokenizer = request.codes.empty()
                             ? Tokenizer(request.tokenizer)
                             : Tokenizer(request.tokenizer, BpeCodes::load(request.codes));
  if (traits_of(model.config.task).needs_source_file()) {
    model.source = model.text;
    model.shares_text = true;
  }
  return model;
}

std::string card_of(const AuthorsModel& request, const Model& model) {
  const PolicyOptions& policy = model.config.policy;
  return fmt::format(
      "# A model of the program of the paper's authors\n\n"
      "- task: {}, policy: lstm\n"
      "- sizes: {} × {} units, embeddings {}, vocabulary {}\n"
      "- imported: from {}, by bough {}\n"
      "- licence: that of the training data and of whoever trained it\n",
      name_of(model.config.task), policy.layers, policy.hidden_size, policy.embedding_size,
      model.text.vocabulary.size(), request.weights.filename().string(), version());
}

}  // namespace

void import_authors(const AuthorsModel& request) {
  check_room_for_model(request.out, request.force);
  AuthorsOptions options = read_options(request.options, request.options_name);
  AuthorsWords words = read_words(request.vocabulary);
  AuthorsTensors theirs(request.weights);
  NamedTensors weights =
      with_plain_errors([&] { return Conversion(options, words, theirs).run(); });
  theirs.check();
  Model setting = setting_of(request, options, std::move(words.vocabulary));
  write_model_folder(request.out, request.force, [&](const fs::path& folder) {
    save_model_setting(folder, setting);
    save_tensors(folder / "model.safetensors", weights, {});
    write_file(folder / "README.md", card_of(request, setting));
    load_model(folder);  // what couldn't be used never comes to stand there
  });
}

}  // namespace bough
