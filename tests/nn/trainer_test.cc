// The training loop as a whole, on small data.
#include "bough/train/trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "bough/base/error.h"
#include "bough/base/safetensors.h"
#include "bough/base/version.h"
#include "bough/model/self_test.h"
#include "temp_folder.h"
#include "test_models.h"
#include "test_seed.h"
#include "thread_number.h"

namespace bough {
namespace {

/// Remembers what a run said.
class Listener : public TrainingObserver {
 public:
  void on_note(const std::string& note) override { notes.push_back(note); }
  void on_warning(const std::string& warning) override { warnings.push_back(warning); }
  void on_update(const UpdateReport& report) override {
    updates.push_back(report);
    if (stop_after > 0 && static_cast<int64_t>(updates.size()) == stop_after) stop = true;
  }
  void on_epoch(const EpochReport& report) override { epochs.push_back(report); }
  void on_judging(double /*share*/) override {
    if (stop_in_judging > 0 && --stop_in_judging == 0) stop = true;
  }

  std::atomic<bool> stop{false};
  int64_t stop_after = 0;
  int64_t stop_in_judging = 0;  // after so many signs of it
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
  std::vector<UpdateReport> updates;
  std::vector<EpochReport> epochs;
};

/// Fifty sentences of a small world.
std::string fifty_sentences() {
  const char* who[] = {"the cat", "my old dog", "a bird", "she", "our neighbour"};
  const char* does[] = {"sees", "likes the colour of", "runs from", "sings to", "waits for"};
  const char* what[] = {"the red house .", "you , and you !"};
  std::string text;
  for (const char* subject : who) {
    for (const char* verb : does) {
      for (const char* object : what) {
        text += fmt::format("{} {} {}\n", subject, verb, object);
      }
    }
  }
  return text;
}

TrainOptions small_run(const TempFolder& folder) {
  put(folder.path() / "train.txt", fifty_sentences());
  TrainOptions options;
  options.train = (folder.path() / "train.txt").string();
  options.valid = options.train;
  options.out = (folder.path() / "model").string();
  options.policy.layers = 1;
  options.policy.hidden_size = 24;
  options.policy.embedding_size = 16;
  options.batches.batch_size = 8;
  options.epochs = 3;
  options.samples = 1;
  options.seed = test_seed();
  return options;
}

void train(const TrainOptions& options, Listener& listener) {
  Trainer(options, listener, listener.stop).run();
}

/// Fifty sentences that differ in their first word, so that all that follows it is certain.
std::vector<std::string> numbered_sentences() {
  std::vector<std::string> sentences;
  std::string text = fifty_sentences();
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    sentences.push_back(fmt::format("number{} : {}", sentences.size(), text.substr(at, end - at)));
    at = end + 1;
  }
  return sentences;
}

/// Which of fifty equally likely sentences comes is the only thing that can't be known: log 50 nats
/// a sentence. What a model loses beyond that it could have learned.
double least_loss(const std::vector<std::string>& sentences) {
  double total = 0.0;
  for (const std::string& sentence : sentences) {
    auto words = std::count(sentence.begin(), sentence.end(), ' ') + 1;
    total += std::log(50.0) / static_cast<double>(2 * words + 1);
  }
  return total / static_cast<double>(sentences.size());
}

struct Overfitted {
  double excess_loss = 0.0;
  size_t distinct = 0;  // of the fifty, among a thousand samples
  int right = 0;        // samples that are one of the fifty
};

Overfitted overfit(TrainOptions options, const TempFolder& folder) {
  std::vector<std::string> gold = numbered_sentences();
  std::string text;
  for (const std::string& sentence : gold) text += sentence + "\n";
  put(folder.path() / "train.txt", text);
  options.valid.clear();
  options.policy.hidden_size = 128;
  options.policy.embedding_size = 64;
  options.initialise.embedding_scale = 0.3;
  options.batches.batch_size = 10;
  options.adam.learning_rate = 4e-3;
  options.adam.lr_factor = 0.2;
  options.adam.lr_every = options.epochs * 3 / 4;  // quiet at the end, whatever the rounding
  options.samples = 0;
  Listener listener;
  train(options, listener);
  Overfitted result{.excess_loss = listener.epochs.back().train.loss - least_loss(gold)};
  std::shared_ptr<const Model> loaded = load_model(options.out);
  const Model& model = *loaded;
  std::set<std::string> seen;
  WriterOptions writer{.batch_size = 100};
  Writer(*model.policy, model.text, writer)
      .write({.count = 1000}, [&](std::vector<Written>&& written) {
        std::string sentence = join_words(written.front().trace.sentence());
        if (std::find(gold.begin(), gold.end(), sentence) == gold.end()) return;
        ++result.right;
        seen.insert(sentence);
      });
  result.distinct = seen.size();
  return result;
}

TEST(Trainer, LearnsFiftySentencesByHeartFromLeftToRight) {
  TempFolder folder;
  TrainOptions options = small_run(folder);
  options.oracle.oracle = OracleKind::kLeftRight;
  options.epochs = 160;
  Overfitted result = overfit(options, folder);
  EXPECT_LT(result.excess_loss, 0.02);
  EXPECT_EQ(result.distinct, 50U);
  EXPECT_GT(result.right, 900);
}

TEST(Trainer, LearnsFiftySentencesByHeartInItsOwnOrder) {
  TempFolder folder;
  TrainOptions options = small_run(folder);
  options.oracle.oracle = OracleKind::kAnnealed;
  options.oracle.loss_beta.rate = 0.03;
  options.oracle.rollin_beta_rate = OracleOptions::kAsLoss;
  options.oracle.coaching_rollin = CoachingRollIn::kGreedy;
  options.epochs = 300;
  Overfitted result = overfit(options, folder);
  EXPECT_LT(result.excess_loss, 0.06);
  EXPECT_EQ(result.distinct, 50U);
  EXPECT_GT(result.right, 700);
}

TEST(Trainer, RollsInUniformlyWhereNobodySaysOtherwiseAndNoAnswerIsAskedFor) {
  using Options = OracleOptions;
  struct Case {
    TaskKind task;
    double rate;
    double beta;  // of the roll-in, in the second epoch
  };
  for (const Case& one :
       {Case{TaskKind::kLm, Options::kAsTask, 1.0}, Case{TaskKind::kLm, Options::kAsLoss, 0.0},
        Case{TaskKind::kReorder, Options::kAsTask, 0.0}, Case{TaskKind::kReorder, 0.25, 0.75}}) {
    TempFolder folder;
    TrainOptions options = small_run(folder);
    options.task = one.task;
    options.oracle.oracle = OracleKind::kAnnealed;
    options.oracle.loss_beta.rate = 1.0;
    options.oracle.rollin_beta_rate = one.rate;
    options.epochs = 2;
    Listener listener;
    train(options, listener);
    EXPECT_EQ(listener.updates.back().beta, 0.0);
    EXPECT_EQ(listener.updates.back().rollin_beta, one.beta);
  }
}

TEST(Trainer, WritesAModelThatWorks) {
  TempFolder folder;
  TrainOptions options = small_run(folder);
  Listener listener;
  train(options, listener);
  ASSERT_EQ(listener.epochs.size(), 3U);
  EXPECT_EQ(listener.updates.size(), 3U * 7U);
  EXPECT_LT(listener.epochs[2].train.loss, listener.epochs[0].train.loss);
  EXPECT_EQ(listener.epochs[0].samples.size(), 2U);  // greedy and one sampled
  EXPECT_DOUBLE_EQ(listener.epochs[2].beta, 0.9);
  std::shared_ptr<const Model> loaded = load_model(options.out);
  const Model& model = *loaded;
  EXPECT_TRUE(test_model(model).passed);
  for (const char* name : {"config.json", "vocab.txt", "model.safetensors", "metrics.jsonl",
                           "README.md", "state/checkpoint.safetensors"}) {
    EXPECT_TRUE(fs::exists(fs::path(options.out) / name)) << name;
  }
  for (const auto& entry : fs::recursive_directory_iterator(options.out)) {
    EXPECT_NE(entry.path().extension(), ".tmp");
  }
}

std::string weights_of(const TrainOptions& options) {
  return read_file(fs::path(options.out) / "model.safetensors");
}

/// Weights without the metadata, which holds times.
std::vector<std::string> tensors_of(const TrainOptions& options) {
  SafetensorsFile file =
      SafetensorsFile::read(fs::path(options.out) / "state" / "checkpoint.safetensors");
  std::vector<std::string> bytes;
  for (const TensorEntry& entry : file.entries()) {
    bytes.push_back(entry.name + std::string(entry.bytes));
  }
  return bytes;
}

/// The same run in another folder, which goes on wherever it was stopped.
TrainOptions resumable(TrainOptions options, const TempFolder& folder) {
  options.out = (folder.path() / "model").string();
  options.resume = true;
  return options;
}

/// Interrupted anywhere and resumed is the same as never interrupted, whatever is in play.
TEST(Trainer, ResumesBitForBit) {
  for (int64_t stop_after : {1, 6, 7, 13}) {
    for (bool fancy : {false, true}) {
      TempFolder folder;
      TrainOptions options = small_run(folder);
      if (fancy) {
        options.policy.dropout = 0.3;
        options.policy.end_head = true;
        options.oracle.rollin = RollIn::kMixed;
        options.oracle.loss_beta.rate = 0.4;
        options.epoch_updates = 5;
        options.epochs = 4;
      }
      Listener whole;
      train(options, whole);
      auto expected = tensors_of(options);

      TempFolder second;
      TrainOptions again = resumable(options, second);
      Listener first_half;
      first_half.stop_after = stop_after;
      EXPECT_THROW(train(again, first_half), Interrupted);
      Listener second_half;
      train(again, second_half);
      EXPECT_TRUE(tensors_of(again) == expected) << "stopped after " << stop_after;
      EXPECT_EQ(first_half.updates.size() + second_half.updates.size(), whole.updates.size());
      EXPECT_EQ(second_half.epochs.back().valid.loss, whole.epochs.back().valid.loss);
    }
  }
}

/// Stopped while it is judged, at any moment of that, a run is saved at once, and judged on
/// resuming.
TEST(Trainer, JudgingHearsAStopAndIsMadeUpFor) {
  for (TaskKind task : {TaskKind::kLm, TaskKind::kReorder}) {
    for (int64_t signs : {1, 3, 9, 30}) {
      TempFolder folder;
      TrainOptions options = small_run(folder);
      options.task = task;
      options.valid_samples = 20;
      Listener whole;
      train(options, whole);
      auto expected = tensors_of(options);
      TempFolder second;
      TrainOptions again = resumable(options, second);
      Listener first_half;
      first_half.stop_in_judging = signs;
      EXPECT_THROW(train(again, first_half), Interrupted);
      EXPECT_TRUE(first_half.epochs.empty()) << "the first epoch was judged to its end";
      Listener second_half;
      train(again, second_half);
      EXPECT_TRUE(tensors_of(again) == expected);
      EXPECT_TRUE(weights_of(again) == weights_of(options)) << "another model is the best";
      ASSERT_EQ(second_half.epochs.size(), whole.epochs.size());
      for (size_t i = 0; i < whole.epochs.size(); ++i) {
        EXPECT_EQ(second_half.epochs[i].valid.loss, whole.epochs[i].valid.loss);
        EXPECT_EQ(second_half.epochs[i].train.loss, whole.epochs[i].train.loss);
      }
    }
  }
}

TEST(Trainer, MetricsHaveEachLineOnceAfterAResume) {
  TempFolder folder;
  TrainOptions options = small_run(folder);
  options.log_every = 1;
  options.save_every = 4;
  options.resume = true;
  Listener first;
  first.stop_after = 9;
  EXPECT_THROW(train(options, first), Interrupted);
  Listener second;
  train(options, second);
  std::vector<int64_t> steps;
  for (const std::string& line : lines_of(fs::path(options.out) / "metrics.jsonl")) {
    auto json = nlohmann::json::parse(line);
    if (json.contains("gradient_norm")) steps.push_back(json["step"]);
  }
  std::vector<int64_t> expected(21);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<int64_t>(i) + 1;
  EXPECT_EQ(steps, expected);
}

/// What is learned from, its parts and what a sentence costs are told apart, and fit together.
TEST(Trainer, HistoryTellsThePartsOfTheLoss) {
  for (bool end_head : {false, true}) {
    TempFolder folder;
    TrainOptions options = small_run(folder);
    options.policy.end_head = end_head;
    options.log_every = 1;
    Listener listener;
    train(options, listener);
    for (const std::string& line : lines_of(fs::path(options.out) / "metrics.jsonl")) {
      auto json = nlohmann::json::parse(line);
      bool closes_epoch = json.contains("train_loss");
      for (std::string prefix : {"", "train_", "valid_"}) {
        if (closes_epoch == prefix.empty()) continue;
        auto number = [&](const char* name) { return json.at(prefix + name).get<double>(); };
        EXPECT_EQ(json.contains(prefix + "word_loss"), end_head);
        EXPECT_EQ(json.contains(prefix + "end_loss"), end_head);
        double word_loss = number(end_head ? "word_loss" : "loss");
        double end_loss = end_head ? number("end_loss") : 0.0;
        EXPECT_NEAR(number("loss"), word_loss + end_loss, 1e-12);
        // Sentences have 6 to 12 words here.
        EXPECT_GT(number("nats"), 6.0 * word_loss + 13.0 * end_loss);
        EXPECT_LT(number("nats"), (end_head ? 12.0 : 25.0) * word_loss + 25.0 * end_loss);
      }
    }
  }
}

TEST(Trainer, AResumeUnderOtherConditionsSaysWhatItCannotPromise) {
  TempFolder folder;
  TrainOptions options = small_run(folder);
  options.epochs = 1;
  options.resume = true;
  Listener listener;
  {
    ThreadNumber one(1);
    train(options, listener);
    options.epochs = 2;
    train(options, listener);
    EXPECT_TRUE(listener.warnings.empty()) << listener.warnings.front();
  }
  ThreadNumber two(2);
  options.epochs = 3;
  train(options, listener);
  ASSERT_EQ(listener.warnings.size(), 1U);
  EXPECT_NE(listener.warnings[0].find("--threads 2 instead of 1"), std::string::npos);
  EXPECT_NE(listener.warnings[0].find("bit for bit"), std::string::npos);
  options.epochs = 4;
  train(options, listener);
  EXPECT_EQ(listener.warnings.size(), 1U) << "the run has two threads by now";
}

TEST(Conditions, EachChangeIsNamed) {
  Conditions then{.threads = 2, .kernels = "avx2", .version = "1.0.0"};
  EXPECT_EQ(change_of_conditions(then, then), "");
  std::string all = change_of_conditions(then, {.threads = 4, .kernels = "avx512", .version = "2"});
  for (const char* part : {"--threads 4 instead of 2", "kernels avx512 instead of avx2",
                           "bough 2 instead of 1.0.0", "bit for bit"}) {
    EXPECT_NE(all.find(part), std::string::npos) << all;
  }
  EXPECT_NE(change_of_conditions({}, then), "") << "a run that doesn't know its threads";
}

/// A checkpoint from before sums were kept apart: the epoch under way has no such sums.
TEST(Checkpoint, OfAnEarlierVersionIsRead) {
  TrainingState state;
  state.epoch_sum.add({.loss = 2.0, .word_loss = 1.0, .end_loss = 1.0, .nats = 20.0}, 8);
  state.conditions = {.threads = 2, .kernels = "avx2", .version = "1.0.0"};
  nlohmann::json json = state.to_json();
  EXPECT_EQ(TrainingState::from_json(json).to_json(), state.to_json());
  for (const char* name : {"judge_due", "epoch_word_loss", "epoch_end_loss", "epoch_nats",
                           "threads", "kernels", "version"}) {
    ASSERT_EQ(json.erase(name), 1U) << name;
  }
  TrainingState old = TrainingState::from_json(json);
  EXPECT_DOUBLE_EQ(old.epoch_sum.mean().loss, 2.0);
  EXPECT_TRUE(std::isnan(old.epoch_sum.mean().nats));
  EXPECT_EQ(old.conditions.threads, 0);
  nlohmann::json again = nlohmann::json::parse(old.to_json().dump());
  EXPECT_TRUE(std::isnan(TrainingState::from_json(again).epoch_sum.total.nats));
}

TEST(Trainer, AModelSaysWhichBoughMadeIt) {
  TempFolder folder;
  TrainOptions options = small_run(folder);
  options.epochs = 1;
  Listener listener;
  train(options, listener);
  EXPECT_EQ(load_model(options.out)->config.made_by, version());
  std::string card = read_file(fs::path(options.out) / "README.md");
  EXPECT_NE(card.find(fmt::format("bough {}", version())), std::string::npos) << card;
}

/// Whatever options say is settled by the trainer itself, before anything is written.
TEST(Trainer, RefusesContradictoryOptions) {
  TempFolder folder;
  TrainOptions options = small_run(folder);
  options.policy.encoder = EncoderKind::kBag;
  Listener listener;
  EXPECT_THROW(train(options, listener), UsageError);
  EXPECT_FALSE(fs::exists(options.out));
}

TEST(Trainer, RefusesToOverwriteAndToResumeAnotherRun) {
  TempFolder folder;
  TrainOptions options = small_run(folder);
  options.epochs = 1;
  Listener listener;
  train(options, listener);
  std::string before = weights_of(options);
  EXPECT_THROW(train(options, listener), UsageError);
  EXPECT_EQ(weights_of(options), before);

  TrainOptions other = options;
  other.resume = true;
  other.policy.hidden_size = 25;
  try {
    train(other, listener);
    FAIL() << "another size must be refused";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("--hidden-size"), std::string::npos);
  }
  other = options;
  other.resume = true;
  other.epochs = 2;
  put(folder.path() / "train.txt", fifty_sentences() + "one more line .\n");
  EXPECT_THROW(train(other, listener), DataError);

  options.force = true;
  options.seed = 2;
  train(options, listener);
  EXPECT_NE(weights_of(options), before);
}

TEST(Trainer, PatienceAndUpdatesStopARun) {
  TempFolder folder;
  TrainOptions options = small_run(folder);
  options.oracle.oracle = OracleKind::kLeftRight;
  options.adam.learning_rate = 0.0;  // nothing is learned, so no epoch is better than the first
  options.epochs = 50;
  options.patience = 2;
  Listener listener;
  train(options, listener);
  EXPECT_EQ(listener.epochs.size(), 3U);

  options.patience = 0;
  options.updates = 10;
  options.force = true;
  Listener counted;
  train(options, counted);
  EXPECT_EQ(counted.updates.size(), 10U);
  EXPECT_EQ(counted.epochs.size(), 2U);  // one whole, one cut short
}

TEST(Trainer, PretrainedVectorsAreTaken) {
  TempFolder folder;
  TrainOptions options = small_run(folder);
  options.task = TaskKind::kReorder;  // the bag has word vectors of its own
  std::string vectors = "cat";
  for (int i = 0; i < 16; ++i) vectors += fmt::format(" {}", 0.25 * i);
  put(folder.path() / "glove.txt", vectors + "\nnobody 1 2 3\n");
  options.initialise.embeddings = (folder.path() / "glove.txt").string();
  options.adam.learning_rate = 0.0;
  options.epochs = 1;
  Listener listener;
  train(options, listener);
  std::shared_ptr<const Model> loaded = load_model(options.out);
  const Model& model = *loaded;
  ASSERT_EQ(model.policy->word_vectors().size(), 2U);
  for (const torch::Tensor& matrix : model.policy->word_vectors()) {
    torch::Tensor row = matrix[model.text.vocabulary.id("cat")];
    for (int64_t i = 0; i < 16; ++i)
      EXPECT_FLOAT_EQ(row[i].item<float>(), 0.25F * static_cast<float>(i));
  }

  put(folder.path() / "glove.txt", "the 1 2 3\n");
  options.force = true;
  try {
    train(options, listener);
    FAIL() << "a vector of another width must be refused";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("3 numbers, but --embedding-size is 16"),
              std::string::npos)
        << error.what();
  }
}

TEST(Model, DamagedAndForeignFilesAreRefused) {
  TempFolder folder;
  TrainOptions options = small_run(folder);
  options.epochs = 1;
  Listener listener;
  train(options, listener);
  fs::path weights = fs::path(options.out) / "model.safetensors";
  std::string good = read_file(weights);
  auto expect_refused = [&](const std::string& content, const std::string& why) {
    put(weights, content);
    try {
      load_model(options.out);
      ADD_FAILURE() << why << " must be refused";
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find("model.safetensors"), std::string::npos) << why;
    }
  };
  for (size_t length : {size_t{0}, size_t{5}, size_t{100}, good.size() / 2, good.size() - 1}) {
    expect_refused(good.substr(0, length), fmt::format("a file cut to {} bytes", length));
  }
  std::string flipped = good;
  flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 1);
  expect_refused(flipped, "a flipped bit");
  expect_refused("PK\x03\x04 an archive of something else", "a foreign file");
  put(weights, good);
  EXPECT_NO_THROW(load_model(options.out));

  fs::path config = fs::path(options.out) / "config.json";
  auto json = nlohmann::json::parse(read_file(config));
  json["architecture"]["hidden-size"] = 25;
  std::string kept = read_file(config);
  put(config, json.dump());
  EXPECT_THROW(load_model(options.out), DataError);
  put(config, "{");
  EXPECT_THROW(load_model(options.out), DataError);
  put(config, "{\"format\":\"other\"}");
  EXPECT_THROW(load_model(options.out), DataError);
  put(config, kept);
  fs::path vocabulary = fs::path(options.out) / "vocab.txt";
  put(vocabulary, read_file(vocabulary) + "extra\n");
  EXPECT_THROW(load_model(options.out), DataError);
}

}  // namespace
}  // namespace bough
