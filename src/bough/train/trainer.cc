#include "bough/train/trainer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "bough/base/error.h"
#include "bough/base/options_json.h"
#include "bough/model/policy.h"
#include "bough/model/tensor_file.h"
#include "bough/train/adam.h"
#include "bough/train/loss.h"
#include "bough/train/rollin.h"
#include "bough/train/update.h"

namespace bough {

namespace {

/// Options that a resumed run may change: they say when to stop or what to show, not what is
/// computed.
bool may_change(const std::string& name) {
  static const std::set<std::string> kFree = {
      "train",      "valid",         "out",          "resume",      "force",       "epochs",
      "updates",    "samples",       "log-every",    "patience",    "max-minutes", "save-every",
      "embeddings", "valid-samples", "source-train", "source-valid"};
  return kFree.contains(name);
}

/// UsageError where the run in the folder was begun with other options: all of them are named.
void check_same_options(const nlohmann::json& begun, const nlohmann::json& now) {
  std::vector<std::string> changed;
  for (const auto& [name, value] : now.items()) {
    if (may_change(name) || !begun.contains(name) || begun.at(name) == value) continue;
    changed.push_back(fmt::format("--{} is {}, but the run was begun with {}", name, value.dump(),
                                  begun.at(name).dump()));
  }
  if (changed.empty()) return;
  throw UsageError("--resume: {}. Leave such options out, or train anew with --force",
                   fmt::join(changed, "; "));
}

std::string model_card(const TrainOptions& options, const TrainingState& state,
                       const TrainingData& data, const Model& model) {
  std::string card = "# A model of bough\n\n";
  card += fmt::format("- task: {}, policy: {}, oracle: {}\n", name_of(options.task),
                      name_of(options.policy.policy), name_of(options.oracle.oracle));
  card += fmt::format("- sizes: {} × {} units, embeddings {}, vocabulary {}\n",
                      options.policy.layers, options.policy.hidden_size,
                      options.policy.embedding_size, model.text.vocabulary.size());
  card += fmt::format("- trained on {} ({}), {} updates, {} epochs, seed {}\n",
                      fs::path(options.train).filename().string(), data.fingerprint(), state.update,
                      state.epoch, options.seed);
  if (state.best_beta >= 0.0) {
    if (state.best_goal >= 0.0) {
      card +=
          fmt::format("- validation BLEU {:.2f} (greedy, nrefs:1|case:mixed|tok:{}|smooth:exp)\n",
                      state.best_goal, options.task == Task::kTranslate ? "13a" : "none");
    }
    card +=
        fmt::format("- validation loss {:.4f} at β = {:.2f} (KL a step) on {}\n", state.best_loss,
                    state.best_beta, fs::path(options.valid).filename().string());
  }
  card += "- licence: that of the training data and of whoever trained it\n";
  return card;
}

/// Whether training stops here, whatever the time.
bool bound_reached(const TrainOptions& options, const TrainingState& state) {
  return state.epoch >= options.epochs ||
         (options.updates > 0 && state.update >= options.updates) ||
         (options.patience > 0 && state.epochs_since_best >= options.patience);
}

/// Judging a model was stopped.
struct JudgingStopped {};

/// How much longer than --max-minutes judging may go on.
constexpr double kGraceSeconds = 1.0;

}  // namespace

void take_options_of_run(const TrainOptions& options, OptionSet& set) {
  if (!options.resume || !has_checkpoint(options.out)) return;
  nlohmann::json begun = load_model_setting(options.out).config.training;
  nlohmann::json open = nlohmann::json::object();
  for (const auto& [name, value] : begun.items()) {
    const Option* option = set.find(name);
    bool about_this_call = name == "out" || name == "resume" || name == "force";
    if (option != nullptr && !option->was_set && !about_this_call) open[name] = value;
  }
  set_from_json(set, open, fmt::format("'{}', \"training\"", options.out));
}

bool check_folder(const TrainOptions& options) {
  fs::path folder = options.out;
  if (fs::exists(folder) && !fs::is_directory(folder)) {
    throw DataError("'{}' is a file; --out takes a folder", options.out);
  }
  if (options.resume && options.force) {
    throw UsageError("--resume goes on with a run and --force overwrites it: give one of them");
  }
  if (options.resume && has_checkpoint(folder)) return true;
  if (options.force) return false;
  if (has_model(folder) && !options.resume) {
    throw UsageError("'{}' already holds a model: --resume goes on with it, --force overwrites it",
                     options.out);
  }
  // A run that was killed before its first checkpoint has its setting, perhaps an empty state/.
  for (const fs::path& file : files_of_run(folder)) {
    auto setting = setting_files();
    bool is_setting =
        std::find(setting.begin(), setting.end(), file.filename().string()) != setting.end();
    if (has_model(folder) && (is_setting || file.filename() == "state")) continue;
    throw UsageError("'{}' is in the way and no run can be resumed: --force overwrites it",
                     file.string());
  }
  return false;
}

std::optional<TrainingState> state_to_resume(const TrainOptions& options) {
  if (!options.resume) return std::nullopt;
  std::optional<TrainingState> state = load_state(options.out);
  if (state) {
    check_same_options(load_model_setting(options.out).config.training, values_of(options));
  }
  return state;
}

bool is_finished(const TrainOptions& options, const TrainingState& state) {
  constexpr double kRounding = 1e-6;
  bool time_spent =
      options.max_minutes > 0.0 && state.minutes_spent >= options.max_minutes - kRounding;
  bool judged =
      !state.judge_due && (state.epoch_update == 0 || state.judged_update == state.update);
  return time_spent || (bound_reached(options, state) && judged);
}

Trainer::Trainer(const TrainOptions& options, TrainingObserver& observer,
                 const std::atomic<bool>& stop, std::string device)
    : options_(options),
      observer_(observer),
      stop_(stop),
      device_(std::move(device)),
      folder_(options.out) {}

Trainer::~Trainer() = default;

void Trainer::lock_folder() {
  if (!lock_) lock_.emplace(folder_);
}

void Trainer::begin() {
  if (fs::is_directory(folder_)) lock_folder();
  bool resuming = check_folder(options_);
  remove_leftovers(folder_);
  nlohmann::ordered_json options = values_of(options_);
  if (resuming) load_setting(options);
  read_data(resuming);
  model_.config.task = options_.task;
  model_.config.policy = options_.policy;
  model_.config.tokenizer = options_.tokenizer;
  model_.config.training = std::move(options);
  model_.check_memory(MemoryUse::kTraining, device_);
  model_.policy = model_.make_policy(static_cast<uint64_t>(options_.seed),
                                     options_.initialise.embedding_scale, device_);
  adam_ = std::make_unique<Adam>(model_.policy->parameters());
  walker_ = std::make_unique<RollInWalker>(*model_.policy, options_.oracle);
  if (options_.valid_samples > 1 && data_.valid.size() > 0) {
    judge_ = make_judge(options_.task, data_, model_.text, options_.valid_samples);
  }
  if (resuming) {
    restore();
    return;
  }
  if (!options_.initialise.embeddings.empty()) {
    int64_t found = load_embeddings(options_.initialise.embeddings, model_.text.vocabulary,
                                    model_.policy->word_vectors());
    observer_.on_note(fmt::format("{} of {} words have a pre-trained vector", found,
                                  model_.text.vocabulary.size() - kSpecials));
  }
  state_.data = data_.fingerprint();
  make_folder(folder_);
  if (!lock_) {  // it is new, to us: another run may have been faster
    lock_folder();
    check_folder(options_);
  }
  remove_run(folder_);
  save_model_setting(folder_, model_);
  // From here on weights never stand there without a state that fits them.
  save_checkpoint(folder_, *model_.policy, *adam_, state_);
}

void Trainer::load_setting(const nlohmann::ordered_json& options) {
  try {
    model_ = load_model_setting(folder_);
  } catch (const DataError& error) {
    throw DataError("{}. Train anew with --force", error.what());
  }
  check_same_options(model_.config.training, options);
}

void Trainer::read_data(bool resuming) {
  data_ = read_training_data(options_, model_, resuming);
  for (const CorpusReport* report : {&data_.train_report, &data_.valid_report}) {
    if (report->bad_lines > 0) {
      observer_.on_warning(fmt::format("{} malformed lines skipped; the first: {}",
                                       report->bad_lines, report->first_bad));
    }
  }
  auto words = static_cast<double>(data_.train.word_count());
  observer_.on_note(fmt::format(
      "{} training sentences, {:.1f} words each; vocabulary {} ({:.2f} % of words unknown); {} "
      "validation sentences",
      data_.train.size(), words / static_cast<double>(data_.train.size()),
      model_.text.vocabulary.size(), 100.0 * static_cast<double>(data_.unknown_words) / words,
      data_.valid.size()));
  if (data_.too_long > 0) {
    observer_.on_note(
        fmt::format("{} left out by --max-words {}", data_.too_long, options_.max_words));
  }
}

void Trainer::restore() {
  state_ = load_checkpoint(folder_, *model_.policy, *adam_);
  if (state_.data != data_.fingerprint()) {
    throw DataError("--resume: the training data has changed since the run began (now {}; then {})",
                    data_.fingerprint(), state_.data);
  }
  // Lines written after the state was saved will be written again.
  fs::path metrics = folder_ / "metrics.jsonl";
  if (fs::exists(metrics) && static_cast<int64_t>(fs::file_size(metrics)) > state_.metrics_bytes) {
    fs::resize_file(metrics, static_cast<uintmax_t>(state_.metrics_bytes));
  }
  seconds_before_ = state_.seconds;
  observer_.on_note(
      fmt::format("resuming at update {}, epoch {}", state_.update, state_.epoch + 1));
}

bool Trainer::diverged(const EpochReport& report) const {
  // Each action alike costs log |V| a step, and <end> has at most its own log 2 on top.
  double nothing_known = std::log(static_cast<double>(model_.text.vocabulary.size()));
  return !(report.train_loss < 1.5 * nothing_known + 1.0);
}

void Trainer::tell_beta() const {
  const OracleOptions& oracle = options_.oracle;
  auto beta = [&](int64_t epoch) { return oracle.beta_of_loss(epoch); };
  if (beta(0) == beta(options_.epochs) && beta(0) == beta(1)) return;
  int64_t passes = BatchPlan::sorted(data_.train, options_.batches).size();
  int64_t per_epoch = options_.epoch_updates > 0 ? options_.epoch_updates : passes;
  int64_t epochs = options_.epochs;
  if (options_.updates > 0) epochs = std::min(epochs, (options_.updates - 1) / per_epoch + 1);
  std::string end =
      fmt::format("β of the loss falls from {:.2f} to {:.2f} in {} epochs of {} updates", beta(0),
                  beta(std::max<int64_t>(0, epochs - 1)), epochs, per_epoch);
  if (options_.max_minutes > 0.0) {
    end += fmt::format(", as far as {:g} minutes go", options_.max_minutes);
  }
  observer_.on_note(end);
}

void Trainer::run() {
  begin();
  tell_beta();
  started_ = std::chrono::steady_clock::now();
  if (state_.judge_due && !finish_epoch()) return;
  while (!finished()) {
    BatchPlan plan =
        BatchPlan::shuffled(data_.train, options_.batches, static_cast<uint64_t>(options_.seed),
                            static_cast<uint64_t>(state_.pass));
    while (state_.batch < plan.size() && !finished()) {
      update(plan);
      bool pass_done = ++state_.batch == plan.size();
      if (pass_done) {
        state_.batch = 0;
        ++state_.pass;
      }
      bool epoch_done =
          options_.epoch_updates > 0 ? state_.epoch_update == options_.epoch_updates : pass_done;
      if (epoch_done) {
        if (!finish_epoch()) return;
      } else if (options_.save_every > 0 && state_.update % options_.save_every == 0) {
        save_state();
      }
      if (stop_) stop_here();
      if (pass_done) break;
    }
  }
  if (state_.epoch_update > 0) {
    judge_unfinished_epoch();
  } else if (time_is_up()) {
    save_state();  // that it is
  }
  if (diverged_) {
    throw RunError(
        "the training has diverged: its loss is above that of a model that knows nothing. The last "
        "model is in '{}'; try a lower --learning-rate",
        options_.out);
  }
}

void Trainer::judge_unfinished_epoch() {
  // A bound other than the number of epochs may stop within one. What was learned so far is judged,
  // and the best model kept, but the epoch isn't over: a resumed run goes on in its middle with the
  // weights that an uninterrupted one would have.
  std::optional<EpochReport> report = judge();
  if (!report) {
    leave_unjudged();
    return;
  }
  if (!report->best) --state_.epochs_since_best;  // no whole epoch
  if (report->best) save_model();
  save_state();
  log(epoch_line(*report));  // behind the saved state: a resumed run takes it away again
  observer_.on_epoch(*report);
}

void Trainer::stop_here() {
  save_state();
  throw Interrupted("interrupted; the run is saved at update {}: go on with --resume",
                    state_.update);
}

void Trainer::leave_unjudged() {
  // Where no other model stands, or one for another β, the newest is the best there is.
  bool newest_counts = state_.best_goal < 0.0 &&
                       (judge_ == nullptr || options_.task == Task::kLm) &&
                       options_.oracle.beta_of_loss(state_.epoch) != state_.best_beta;
  if (newest_counts) save_model();
  if (stop_) stop_here();
  save_state();
  observer_.on_warning(
      "time was up before the newest model was judged: --resume with more --max-minutes does it");
}

bool Trainer::finished() const {
  return bound_reached(options_, state_) || time_is_up();
}

bool Trainer::out_of_time(double reserve) const {
  return options_.max_minutes > 0.0 && run_seconds() + reserve >= 60.0 * options_.max_minutes;
}

double Trainer::run_seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

void Trainer::update(const BatchPlan& plan) {
  auto start = std::chrono::steady_clock::now();
  std::span<const int64_t> batch = plan.batch(state_.batch);
  double beta = options_.oracle.beta_of_loss(state_.epoch);
  double learning_rate = options_.adam.rate_at(state_.epoch, state_.update);
  UpdateResult result =
      update_policy(*model_.policy, *walker_, *adam_, data_.train,
                    {.rollin = {.batch = batch,
                                .sources = sources_of(Part::kTrain),
                                .beta = options_.oracle.beta_of_rollin(state_.epoch),
                                .seed = static_cast<uint64_t>(options_.seed),
                                .pass = static_cast<uint64_t>(state_.pass),
                                .masks = {.keep = 1.0 - options_.policy.dropout,
                                          .key = mix_bits(static_cast<uint64_t>(options_.seed)) +
                                                 static_cast<uint64_t>(state_.update)}},
                     .loss_beta = beta,
                     .label_smoothing = options_.label_smoothing,
                     .end_weight = options_.end_weight,
                     .learning_rate = learning_rate,
                     .clip = options_.adam.clip});
  if (!std::isfinite(result.loss) || !std::isfinite(result.gradient_norm)) {
    throw RunError("the loss is not finite at update {}: try a lower --learning-rate (now {:g})",
                   state_.update + 1, learning_rate);
  }
  ++state_.update;
  ++state_.epoch_update;
  auto sentences = static_cast<int64_t>(batch.size());
  state_.epoch_sentences += sentences;
  state_.epoch_loss += result.loss * static_cast<double>(sentences);
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  UpdateReport report{
      .update = state_.update,
      .epoch = state_.epoch + 1,
      .epoch_update = state_.epoch_update,
      .updates_in_epoch = options_.epoch_updates > 0 ? options_.epoch_updates : plan.size(),
      .loss = state_.epoch_loss / static_cast<double>(state_.epoch_sentences),
      .beta = beta,
      .learning_rate = learning_rate,
      .sentences_per_second = static_cast<double>(sentences) / time.count()};
  observer_.on_update(report);
  if (state_.update % options_.log_every == 0) {
    log({{"step", report.update},
         {"epoch", report.epoch},
         {"loss", result.loss},
         {"beta", beta},
         {"rollin_beta", options_.oracle.beta_of_rollin(state_.epoch)},
         {"learning_rate", learning_rate},
         {"gradient_norm", result.gradient_norm},
         {"sentences_per_second", std::round(report.sentences_per_second * 10.0) / 10.0},
         {"seconds", seconds_before_ + run_seconds()}});
  }
}

void Trainer::check_judging(double share) const {
  observer_.on_judging(share);
  if (stop_ || out_of_time(-kGraceSeconds)) throw JudgingStopped();
}

EpochReport Trainer::judge_to_the_end() const {
  EpochReport report{.epoch = state_.epoch + 1,
                     .train_loss = state_.epoch_loss / static_cast<double>(state_.epoch_sentences),
                     .validated = data_.valid.size() > 0,
                     .best = true,
                     .beta = options_.oracle.beta_of_loss(state_.epoch),
                     .learning_rate = options_.adam.rate_at(state_.epoch, state_.update),
                     .seconds = seconds_before_ + run_seconds(),
                     .samples = sample()};
  if (report.validated) {
    report.valid_loss = validate();
    if (judge_) {
      report.quality =
          judge_->judge(*model_.policy, static_cast<uint64_t>(options_.seed + state_.epoch),
                        [this] { check_judging(1.0); });
    }
    report.best = is_best(report);
  }
  return report;
}

std::optional<EpochReport> Trainer::judge() {
  double begun = run_seconds();
  EpochReport report;
  try {
    report = judge_to_the_end();
  } catch (const JudgingStopped&) {
    return std::nullopt;
  }
  judging_seconds_ = run_seconds() - begun;
  state_.judged_update = state_.update;
  if (report.best) {
    if (report.quality && report.quality->goal) state_.best_goal = *report.quality->goal;
    state_.best_loss = report.valid_loss;
    state_.best_beta = report.validated ? report.beta : -1.0;
    state_.best_epoch = report.epoch;
  }
  state_.epochs_since_best = report.best ? 0 : state_.epochs_since_best + 1;
  diverged_ = diverged(report);
  if (diverged_) {
    observer_.on_warning(
        fmt::format("epoch {}: a loss of {:.4g} is above that of knowing nothing: the training "
                    "diverges. Try a lower --learning-rate",
                    report.epoch, report.train_loss));
  }
  return report;
}

bool Trainer::is_best(const EpochReport& report) const {
  if (report.quality && report.quality->goal) return *report.quality->goal > state_.best_goal;
  return report.beta != state_.best_beta || report.valid_loss < state_.best_loss;
}

const Dataset* Trainer::sources_of(Part part) const {
  switch (options_.task) {
    case Task::kLm:
      return nullptr;
    case Task::kReorder:
      return part == Part::kTrain ? &data_.train : &data_.valid;
    case Task::kTranslate:
      return part == Part::kTrain ? &data_.train_source : &data_.valid_source;
  }
  return nullptr;
}

nlohmann::ordered_json Trainer::epoch_line(const EpochReport& report) const {
  nlohmann::ordered_json line = {{"step", state_.update},
                                 {"epoch", report.epoch},
                                 {"train_loss", report.train_loss},
                                 {"beta", report.beta},
                                 {"learning_rate", report.learning_rate}};
  if (report.validated) line["valid_loss"] = report.valid_loss;
  if (report.quality) {
    for (const auto& [name, value] : report.quality->numbers) line[name] = value;
  }
  line["best"] = report.best;
  line["seconds"] = report.seconds;
  return line;
}

bool Trainer::finish_epoch() {
  std::optional<EpochReport> report = judge();
  state_.judge_due = !report;
  if (!report) {
    leave_unjudged();
    return false;
  }
  log(epoch_line(*report));
  ++state_.epoch;
  state_.epoch_update = 0;
  state_.epoch_loss = 0.0;
  state_.epoch_sentences = 0;
  if (report->best) save_model();
  save_state();
  observer_.on_epoch(*report);
  return true;
}

double Trainer::validate() const {
  torch::NoGradGuard no_gradients;
  BatchPlan plan = BatchPlan::sorted(data_.valid, options_.batches);
  double total = 0.0;
  for (int64_t i = 0; i < plan.size(); ++i) {
    check_judging(static_cast<double>(i) / static_cast<double>(plan.size()));
    RolledIn rolled =
        walker_->walk(data_.valid, {.batch = plan.batch(i),
                                    .sources = sources_of(Part::kValid),
                                    .beta = options_.oracle.beta_of_rollin(state_.epoch),
                                    .seed = static_cast<uint64_t>(options_.seed),
                                    .purpose = Purpose::kValidation});
    LossResult loss =
        compute_loss(rolled.trajectory, rolled.output(*model_.policy, {}), model_.policy->output(),
                     {.beta = options_.oracle.beta_of_loss(state_.epoch), .gradient = false});
    total += loss.loss * static_cast<double>(rolled.trajectory.sentences());
  }
  return total / static_cast<double>(data_.valid.size());
}

std::vector<Trace> Trainer::sample() const {
  std::vector<Trace> traces;
  auto write = [&](WriteRequest request, const WriterOptions& options) {
    request.between_steps = [this] { check_judging(0.0); };
    Writer(*model_.policy, model_.text, options)
        .write(request, [&](std::vector<Written>&& written) {
          traces.push_back(std::move(written.front().trace));
        });
  };
  if (options_.samples == 0) return traces;
  WriterOptions greedy{.seed = options_.seed};
  greedy.sampler.decode = Decode::kGreedy;
  const Dataset* sources = sources_of(Part::kValid);
  if (sources == nullptr) {
    write({.count = 1}, greedy);
    write({.count = options_.samples}, {.seed = options_.seed + state_.epoch});
    return traces;
  }
  std::vector<Prompt> prompts;  // the first ones: what becomes of them can be followed
  for (int64_t i = 0; i < std::min(options_.samples, sources->size()); ++i) {
    prompts.push_back({.source = sources->sentence(i)});
  }
  write({.count = static_cast<int64_t>(prompts.size()), .prompts = prompts}, greedy);
  return traces;
}

void Trainer::save_model() {
  // No clock here: equal runs write equal files.
  save_tensors(folder_ / "model.safetensors", model_.policy->parameters(),
               {{"format", "bough"},
                {"update", std::to_string(state_.update)},
                {"epoch", std::to_string(state_.epoch)}});
  write_file(folder_ / "README.md", model_card(options_, state_, data_, model_));
}

void Trainer::save_state() {
  state_.seconds = seconds_before_ + run_seconds();
  state_.minutes_spent = time_is_up() ? seconds_before_ / 60.0 + options_.max_minutes : 0.0;
  save_checkpoint(folder_, *model_.policy, *adam_, state_);
  // Without validation data the last model is the best there is.
  if (data_.valid.size() == 0 || !fs::exists(folder_ / "model.safetensors")) save_model();
}

void Trainer::log(nlohmann::ordered_json line) {
  std::string text = line.dump() + "\n";
  fs::path path = folder_ / "metrics.jsonl";
  int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  bool good = descriptor >= 0 &&
              ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (descriptor >= 0) ::close(descriptor);
  if (!good) throw RunError("cannot write '{}'", path.string());
  state_.metrics_bytes += static_cast<int64_t>(text.size());
}

}  // namespace bough
