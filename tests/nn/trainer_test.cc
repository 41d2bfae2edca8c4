// The training loop as a whole, on small data.
#include "bough/train/trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "bough/base/error.h"
#include "bough/base/safetensors.h"
#include "bough/model/self_test.h"
#include "temp_folder.h"
#include "test_models.h"
#include "test_seed.h"

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
  Overfitted result{.excess_loss = listener.epochs.back().train_loss - least_loss(gold)};
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
  options.oracle.coaching_rollin = CoachingRollIn::kGreedy;
  options.epochs = 300;
  Overfitted result = overfit(options, folder);
  EXPECT_LT(result.excess_loss, 0.06);
  EXPECT_EQ(result.distinct, 50U);
  EXPECT_GT(result.right, 700);
}

TEST(Trainer, WritesAModelThatWorks) {
  TempFolder folder;
  TrainOptions options = small_run(folder);
  Listener listener;
  train(options, listener);
  ASSERT_EQ(listener.epochs.size(), 3U);
  EXPECT_EQ(listener.updates.size(), 3U * 7U);
  EXPECT_LT(listener.epochs[2].train_loss, listener.epochs[0].train_loss);
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
      TrainOptions again = options;
      again.out = (second.path() / "model").string();
      again.resume = true;
      Listener first_half;
      first_half.stop_after = stop_after;
      EXPECT_THROW(train(again, first_half), Interrupted);
      Listener second_half;
      train(again, second_half);
      EXPECT_TRUE(tensors_of(again) == expected) << "stopped after " << stop_after;
      EXPECT_EQ(first_half.updates.size() + second_half.updates.size(), whole.updates.size());
      EXPECT_EQ(second_half.epochs.back().valid_loss, whole.epochs.back().valid_loss);
    }
  }
}

/// Stopped while it is judged, at any moment of that, a run is saved at once, and judged on
/// resuming.
TEST(Trainer, JudgingHearsAStopAndIsMadeUpFor) {
  for (Task task : {Task::kLm, Task::kReorder}) {
    for (int64_t signs : {1, 3, 9, 30}) {
      TempFolder folder;
      TrainOptions options = small_run(folder);
      options.task = task;
      options.valid_samples = 20;
      options.settle();
      Listener whole;
      train(options, whole);
      auto expected = tensors_of(options);
      TempFolder second;
      TrainOptions again = options;
      again.out = (second.path() / "model").string();
      again.resume = true;
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
        EXPECT_EQ(second_half.epochs[i].valid_loss, whole.epochs[i].valid_loss);
        EXPECT_EQ(second_half.epochs[i].train_loss, whole.epochs[i].train_loss);
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
  options.task = Task::kReorder;  // the bag has word vectors of its own
  options.settle();
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
