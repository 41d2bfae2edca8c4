#include "bough/train/trainer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bough/base/error.h"
#include "bough/base/options_json.h"
#include "bough/model/layers/functions.h"
#include "bough/model/orders.h"
#include "bough/model/policy.h"
#include "bough/model/runtime.h"
#include "bough/model/tensor_file.h"
#include "bough/train/adam.h"
#include "bough/train/gradient_exchange.h"
#include "bough/train/model_card.h"
#include "bough/train/run_end.h"
#include "bough/train/update.h"
#include "bough/train/validation.h"
#include "bough/train/weight_average.h"

namespace bough {

namespace {

/// Judging a model was stopped.
struct JudgingStopped {};

/// How much longer than --max-minutes judging may go on.
constexpr double kGraceSeconds = 1.0;

}  // namespace

Trainer::Trainer(TrainOptions options, TrainingObserver& observer, const std::atomic<bool>& stop,
                 std::string device, Ranks& ranks)
    : options_(settled(std::move(options))),
      observer_(observer),
      stop_(stop),
      device_(std::move(device)),
      ranks_(ranks),
      seed_(static_cast<uint64_t>(options_.seed)),
      folder_(options_.out, options_.resume, options_.force),
      history_(folder_.path(), options_.policy.end_head || options_.policy.shape == Shape::kArity) {
}

Trainer::~Trainer() = default;

void Trainer::begin() {
  bool resuming = ranks_.leads() && folder_.open();
  if (resuming) load_setting();
  read_data(resuming);
  if (ranks_.size() > 1) check_same_data();
  model_.config.task = options_.task;
  model_.config.policy = options_.policy;
  model_.config.tokenizer = options_.tokenizer;
  model_.config.training = values_of(options_);
  model_.check_memory(MemoryUse::kTraining, device_);
  model_.policy = model_.make_policy(seed_, options_.initialise.embedding_scale, device_);
  adam_ = std::make_unique<Adam>(model_.policy->parameters());
  if (options_.average > 0.0) {
    average_ = std::make_unique<WeightAverage>(model_.policy->parameters(), options_.average);
  }
  std::vector<WordId> unfinished = model_.text.tokenizer.unfinished_pieces(model_.text.vocabulary);
  for (const Order& order : orders_of(model_)) {
    LearnedOrder& own = *orders_.emplace_back(std::make_unique<LearnedOrder>());
    own.oracle = options_.oracle.in_order(order.oracle);
    own.walker =
        std::make_unique<RollInWalker>(*model_.policy, own.oracle, order.start, unfinished);
  }
  if (options_.valid_samples > 1 && data_.valid.size() > 0) {
    judge_ = make_judge(options_.task, data_, model_.text, options_.valid_samples);
  }
  if (resuming) restore();
  state_.conditions = Conditions::now(device_);
  if (!resuming) begin_anew();
  if (ranks_.size() > 1) {
    exchange_ = std::make_unique<GradientExchange>(model_.policy->parameters(), ranks_,
                                                   options_.gradient_numbers);
    take_leaders_state();
  }
}

void Trainer::begin_anew() {
  if (!ranks_.leads()) return;
  if (!options_.initialise.embeddings.empty()) {
    int64_t found = load_embeddings(options_.initialise.embeddings, model_.text.vocabulary,
                                    model_.policy->word_vectors());
    observer_.on_note(fmt::format("{} of {} words have a pre-trained vector", found,
                                  model_.text.vocabulary.size() - kSpecials));
  }
  state_.data = data_.fingerprint();
  folder_.make_room();
  save_model_setting(folder_.path(), model_);
  // From here on weights never stand there without a state that fits them.
  save_checkpoint(folder_.path(), learned(), state_);
}

void Trainer::check_same_data() {
  std::string own = fmt::format("for training {}; for validation {}", data_.fingerprint(),
                                data_.valid_fingerprint());
  std::string leaders = ranks_.share(own);
  std::vector<double> differ(static_cast<size_t>(ranks_.size()), 0.0);
  if (own != leaders) differ[static_cast<size_t>(ranks_.rank())] = 1.0;
  ranks_.sum(differ);
  std::vector<size_t> others;
  for (size_t rank = 0; rank < differ.size(); ++rank) {
    if (differ[rank] > 0.0) others.push_back(rank);
  }
  if (others.empty()) return;
  throw DataError(
      "the ranks don't read the same data: rank {} reads other than rank 0 (which has {}{}). Give "
      "all of them the same files",
      fmt::join(others, ", "), leaders, own == leaders ? "" : "; here: " + own);
}

void Trainer::take_leaders_state() {
  for (const auto& tensors : {model_.policy->parameters(), adam_->state(),
                              average_ ? average_->state() : NamedTensors()}) {
    for (const auto& [name, tensor] : tensors) {
      ranks_.share(tensor);
      change_numbers(tensor);
    }
  }
  nlohmann::json leaders = {{"adam", adam_->steps()}, {"state", state_.to_json()}};
  leaders = nlohmann::json::parse(ranks_.share(leaders.dump()));
  adam_->set_steps(leaders["adam"]);
  if (!ranks_.leads()) {
    state_ = TrainingState::from_json(leaders["state"]);
    seconds_before_ = state_.seconds;
  }
  bytes_before_ = ranks_.bytes_sent();
}

void Trainer::agree(std::span<double> numbers) {
  std::vector<double> all(numbers.begin(), numbers.end());
  all.push_back(stop_ ? 1.0 : 0.0);
  all.push_back(ranks_.leads() && out_of_time(1.1 * judging_seconds_) ? 1.0 : 0.0);
  ranks_.sum(all);
  std::copy_n(all.begin(), numbers.size(), numbers.begin());
  is_stopped_ = all[all.size() - 2] > 0.0;
  time_is_up_ = all.back() > 0.0;
}

std::vector<int64_t> Trainer::own_share(std::span<const int64_t> batch) const {
  std::vector<int64_t> own;  // by turns: sentences of a batch are sorted by length
  for (auto i = static_cast<size_t>(ranks_.rank()); i < batch.size();
       i += static_cast<size_t>(ranks_.size())) {
    own.push_back(batch[i]);
  }
  return own;
}

Learned Trainer::learned() const {
  return {*model_.policy, *adam_, average_.get()};
}

void Trainer::load_setting() {
  try {
    model_ = load_model_setting(folder_.path());
  } catch (const DataError& error) {
    throw DataError("{}. Train anew with --force", error.what());
  }
  check_same_options(model_.config.training, options_);
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
  state_ = load_checkpoint(folder_.path(), learned());
  if (state_.data != data_.fingerprint()) {
    throw DataError("--resume: the training data has changed since the run began (now {}; then {})",
                    data_.fingerprint(), state_.data);
  }
  history_.resume_at(state_.metrics_bytes);
  seconds_before_ = state_.seconds;
  observer_.on_note(
      fmt::format("resuming at update {}, epoch {}", state_.update, state_.epoch + 1));
  std::string change = change_of_conditions(state_.conditions, Conditions::now(device_));
  if (!change.empty()) observer_.on_warning(change);
}

bool Trainer::diverged(const EpochReport& report) const {
  // Each action alike costs log |V| a step, and <end> has at most its own log 2 on top.
  double nothing_known = std::log(static_cast<double>(model_.text.vocabulary.size()));
  return !(report.train.loss < 1.5 * nothing_known + 1.0);
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
  begun_at_ = state_.update;
  if (state_.judge_due && !finish_epoch()) return;
  while (!finished()) {
    BatchPlan plan = BatchPlan::shuffled(data_.train, options_.batches, seed_,
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
      if (is_stopped()) stop_here();
      if (pass_done) break;
    }
  }
  if (exchange_ && state_.update > begun_at_) {
    double bytes = static_cast<double>(ranks_.bytes_sent() - bytes_before_);
    observer_.on_note(
        fmt::format("each rank has sent about {:.1f} MB an update; the sums of {:.0f} % of the "
                    "gradients began while the backward pass ran",
                    bytes / 1e6 / static_cast<double>(state_.update - begun_at_),
                    100.0 * exchange_->early_share()));
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
  if (!report->best) --state_.best.epochs_since;  // no whole epoch
  if (report->best) save_model();
  save_state();
  // Behind the saved state: a resumed run takes it away again.
  if (ranks_.leads()) history_.add(*report);
  observer_.on_epoch(*report);
}

void Trainer::stop_here() {
  save_state();
  throw Interrupted("interrupted; the run is saved at update {}: go on with --resume",
                    state_.update);
}

void Trainer::leave_unjudged() {
  bool has_goal =
      (judge_ != nullptr && traits_of(options_.task).has_answer) || options_.valid_likelihood > 0;
  if (state_.best.yields_unjudged(options_.oracle.beta_of_loss(state_.epoch), has_goal)) {
    save_model();
  }
  if (is_stopped()) stop_here();
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

const LearnedOrder& Trainer::drawn_order() const {
  if (orders_.size() == 1) return *orders_.front();
  std::vector<double> alike(orders_.size(), 1.0);
  RandomStream random(seed_, Purpose::kOrder, static_cast<uint64_t>(state_.update));
  return *orders_[static_cast<size_t>(random.draw(alike))];
}

UpdateRequest Trainer::update_request(std::span<const int64_t> batch,
                                      const OracleOptions& oracle) const {
  uint64_t masks = seed_for(seed_, Purpose::kDropout, static_cast<uint64_t>(state_.update));
  return {.rollin = {.batch = batch,
                     .sources = sources_of(Part::kTrain),
                     .beta = oracle.beta_of_rollin(state_.epoch),
                     .seed = seed_,
                     .pass = static_cast<uint64_t>(state_.pass),
                     .masks = {.keep = 1.0 - options_.policy.dropout, .key = masks}},
          .loss_beta = oracle.beta_of_loss(state_.epoch),
          .label_smoothing = options_.label_smoothing,
          .end_weight = options_.end_weight,
          .learning_rate = options_.adam.rate_at(state_.epoch, state_.update, options_.updates),
          .clip = options_.adam.clip};
}

void Trainer::update(const BatchPlan& plan) {
  auto start = std::chrono::steady_clock::now();
  const LearnedOrder& order = drawn_order();
  std::span<const int64_t> batch = plan.batch(state_.batch);
  std::vector<int64_t> own;
  if (exchange_) own = own_share(batch);
  UpdateRequest request = update_request(exchange_ ? own : batch, order.oracle);
  auto sentences = static_cast<int64_t>(batch.size());
  if (exchange_) request.share = static_cast<double>(own.size()) / static_cast<double>(sentences);
  UpdateResult result =
      update_policy(*model_.policy, *order.walker, *adam_, data_.train, request, exchange_.get());
  if (exchange_) {
    LossParts& loss = result.loss;
    std::array<double, 4> parts = {loss.loss, loss.word_loss, loss.end_loss, loss.nats};
    agree(parts);
    loss = {.loss = parts[0], .word_loss = parts[1], .end_loss = parts[2], .nats = parts[3]};
  }
  if (!std::isfinite(result.loss.loss) || !std::isfinite(result.gradient_norm)) {
    throw RunError("the loss is not finite at update {}: try a lower --learning-rate (now {:g})",
                   state_.update + 1, request.learning_rate);
  }
  ++state_.update;
  ++state_.epoch_update;
  if (average_) average_->add(state_.update);
  state_.epoch_sum.add(result.loss, sentences);
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  UpdateReport report{
      .update = state_.update,
      .epoch = state_.epoch + 1,
      .epoch_update = state_.epoch_update,
      .updates_in_epoch = options_.epoch_updates > 0 ? options_.epoch_updates : plan.size(),
      .loss = state_.epoch_sum.mean().loss,
      .batch = result.loss,
      .beta = request.loss_beta,
      .rollin_beta = request.rollin.beta,
      .learning_rate = request.learning_rate,
      .gradient_norm = result.gradient_norm,
      .sentences_per_second = static_cast<double>(sentences) / time.count(),
      .seconds = all_seconds()};
  observer_.on_update(report);
  if (state_.update % options_.log_every == 0 && ranks_.leads()) history_.add(report);
}

void Trainer::check_judging(double share) const {
  observer_.on_judging(share);
  if (stop_ || out_of_time(-kGraceSeconds)) throw JudgingStopped();
}

Trainer::JudgedPart Trainer::judge_part(double beta) const {
  JudgedPart part;
  Shard own{.index = ranks_.rank(), .count = ranks_.size()};
  part.valid = validate(*model_.policy, *orders_.front()->walker,
                        {.data = data_.valid,
                         .sources = sources_of(Part::kValid),
                         .batches = options_.batches,
                         .rollin_beta = options_.oracle.beta_of_rollin(state_.epoch),
                         .loss_beta = beta,
                         .seed = seed_,
                         .part = own,
                         .between_batches = [this](double share) { check_judging(share); }});
  auto between_steps = [this] { check_judging(1.0); };
  if (judge_) {
    part.written = with_plain_errors(
        [&] { return judge_->write(*model_.policy, judging_seed(), own, between_steps); });
  }
  if (options_.valid_likelihood > 0) {
    LikelihoodTotals totals =
        valid_likelihood(*model_.policy, {.data = data_.valid,
                                          .sources = sources_of(Part::kValid),
                                          .order = orders_of(model_).front(),
                                          .samples = options_.valid_likelihood,
                                          .seed = seed_,
                                          .part = own,
                                          .between_steps = between_steps});
    part.logprob = totals.logprob;
    part.words = totals.words;
  }
  return part;
}

void Trainer::put_together(JudgedPart& part) {
  LossParts& total = part.valid.total;
  std::array<double, 7> sums = {total.loss,
                                total.word_loss,
                                total.end_loss,
                                total.nats,
                                static_cast<double>(part.valid.sentences),
                                part.logprob,
                                static_cast<double>(part.words)};
  ranks_.sum(sums);
  total = {.loss = sums[0], .word_loss = sums[1], .end_loss = sums[2], .nats = sums[3]};
  part.valid.sentences = std::llround(sums[4]);
  part.logprob = sums[5];
  part.words = std::llround(sums[6]);
  std::vector<int64_t> own;  // each sentence behind the number of its words
  for (const std::vector<WordId>& sentence : part.written) {
    own.push_back(std::ssize(sentence));
    own.insert(own.end(), sentence.begin(), sentence.end());
  }
  part.written.clear();
  for (const std::vector<int64_t>& numbers : ranks_.gather(own)) {
    for (auto at = numbers.begin(); at != numbers.end();) {
      auto end = at + 1 + *at;
      part.written.emplace_back(at + 1, end);
      at = end;
    }
  }
}

std::optional<Quality> Trainer::quality_of(const JudgedPart& all) const {
  std::optional<Quality> quality;
  if (judge_) quality = judge_->judge(all.written);
  if (options_.valid_likelihood == 0) return quality;
  if (!quality) quality.emplace();
  double perplexity = perplexity_of(all.logprob, all.words);
  quality->numbers.emplace_back("valid_perplexity", perplexity);
  if (!quality->goal) {
    quality->goal = 1.0 / perplexity;
    quality->goal_name = "perplexity";
  }
  return quality;
}

std::optional<EpochReport> Trainer::judge() {
  double begun = run_seconds();
  WeightAverage::InUse averaged(average_.get());
  EpochReport report{
      .update = state_.update,
      .epoch = state_.epoch + 1,
      .train = state_.epoch_sum.mean(),
      .validated = data_.valid.size() > 0,
      .valid = {},
      .beta = options_.oracle.beta_of_loss(state_.epoch),
      .learning_rate = options_.adam.rate_at(state_.epoch, state_.update, options_.updates),
      .seconds = all_seconds(),
      .samples = {}};
  JudgedPart part;
  std::array<double, 1> stopped = {0.0};  // somewhere
  try {
    report.samples = sample();
    if (report.validated) part = judge_part(report.beta);
  } catch (const JudgingStopped&) {
    stopped[0] = 1.0;
  }
  if (exchange_) agree(stopped);
  if (stopped[0] > 0.0) return std::nullopt;
  if (report.validated) {
    if (exchange_) put_together(part);
    report.valid = part.valid.mean();
    report.quality = quality_of(part);
  }
  std::array<double, 1> best = {state_.best.is_beaten_by(report) && ranks_.leads() ? 1.0 : 0.0};
  ranks_.sum(best);
  report.best = best[0] > 0.0;
  judging_seconds_ = run_seconds() - begun;
  state_.judged_update = state_.update;
  state_.best.add(report);
  diverged_ = diverged(report);
  if (diverged_) {
    observer_.on_warning(
        fmt::format("epoch {}: a loss of {:.4g} is above that of knowing nothing: the training "
                    "diverges. Try a lower --learning-rate",
                    report.epoch, report.train.loss));
  }
  return report;
}

const Dataset* Trainer::sources_of(Part part) const {
  switch (traits_of(options_.task).source) {
    case SourceKind::kNothing:
      return nullptr;
    case SourceKind::kOwnWords:
      return part == Part::kTrain ? &data_.train : &data_.valid;
    case SourceKind::kParallelText:
      return part == Part::kTrain ? &data_.train_source : &data_.valid_source;
  }
  return nullptr;
}

bool Trainer::finish_epoch() {
  std::optional<EpochReport> report = judge();
  state_.judge_due = !report;
  if (!report) {
    leave_unjudged();
    return false;
  }
  if (ranks_.leads()) history_.add(*report);
  ++state_.epoch;
  state_.epoch_update = 0;
  state_.epoch_sum = {};
  if (report->best) save_model();
  save_state();
  observer_.on_epoch(*report);
  return true;
}

uint64_t Trainer::judging_seed() const {
  return seed_for(seed_, Purpose::kJudging, static_cast<uint64_t>(state_.epoch));
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
    write({.count = options_.samples}, {.seed = static_cast<int64_t>(judging_seed())});
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
  if (!ranks_.leads()) return;
  WeightAverage::InUse averaged(average_.get());
  // No clock here: equal runs write equal files.
  save_tensors(folder_.weights(), model_.policy->parameters(),
               {{"format", "bough"},
                {"update", std::to_string(state_.update)},
                {"epoch", std::to_string(state_.epoch)}});
  write_file(folder_.card(), model_card(options_, state_, data_, model_));
}

void Trainer::save_state() {
  if (ranks_.leads()) save_state_here();
  // Nobody goes, and so ends the others, before it is there.
  std::array<double, 1> nothing = {0.0};
  ranks_.sum(nothing);
}

void Trainer::save_state_here() {
  state_.seconds = all_seconds();
  state_.minutes_spent = time_is_up() ? seconds_before_ / 60.0 + options_.max_minutes : 0.0;
  state_.metrics_bytes = history_.bytes();
  save_checkpoint(folder_.path(), learned(), state_);
  // Without validation data the last model is the best there is.
  if (data_.valid.size() == 0 || !fs::exists(folder_.weights())) save_model();
}

}  // namespace bough
