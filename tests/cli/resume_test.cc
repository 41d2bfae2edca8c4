// A training run that is killed, interrupted or stopped goes on as if nothing had happened.
#include <chrono>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "tiny_models.h"

namespace bough {
namespace {

using std::chrono::milliseconds;

constexpr int kUpdates = 400;

/// A run of a second or so. The oracle asks the policy from the second epoch on, dropout draws
/// masks, and the learning rate falls: all of that has to be taken up again.
Words long_run(const fs::path& out, const Words& more = {}) {
  fs::path corpus = TinyModels::shared().corpus();
  return tiny_train(corpus, out,
                    {"--valid",         corpus,     "--updates",       std::to_string(kUpdates),
                     "--epoch-updates", "70",       "--save-every",    "4",
                     "--log-every",     "3",        "--batch-size",    "20",
                     "--oracle",        "annealed", "--beta-rate",     "0.3",
                     "--dropout",       "0.2",      "--learning-rate", "0.01",
                     "--lr-every",      "2"}) +
         more;
}

fs::path checkpoint_of(const fs::path& run) {
  return run / "state" / "checkpoint.safetensors";
}

/// Where a saved run stands, without what a clock put there.
nlohmann::json state_of(const fs::path& run) {
  auto state =
      nlohmann::json::parse(SafetensorsFile::read(checkpoint_of(run)).metadata().at("state"));
  state.erase("seconds");
  state.erase("metrics_bytes");
  return state;
}

std::vector<nlohmann::json> metrics_of(const fs::path& run) {
  auto lines = json_lines(lines_of(run / "metrics.jsonl"));
  for (auto& line : lines) {
    line.erase("seconds");
    line.erase("sentences_per_second");
  }
  return lines;
}

void expect_same_run(const fs::path& one, const fs::path& other) {
  EXPECT_EQ(state_of(one), state_of(other));
  EXPECT_TRUE(tensors_of(checkpoint_of(one)) == tensors_of(checkpoint_of(other)))
      << "weights or moments differ";
  EXPECT_TRUE(tensors_of(one / "model.safetensors") == tensors_of(other / "model.safetensors"))
      << "the best models differ";
  EXPECT_EQ(metrics_of(one), metrics_of(other));
}

/// The long run without interruption.
const fs::path& uninterrupted() {
  static const TempFolder folder;
  static const fs::path run = [] {
    Outcome outcome = bough(long_run(folder.path() / "run"));
    if (outcome.exit_code != 0) throw std::runtime_error(outcome.err);
    return folder.path() / "run";
  }();
  return run;
}

/// When the checkpoint was written; the oldest time where there is none.
fs::file_time_type saved_at(const fs::path& run) {
  std::error_code missing;
  return fs::last_write_time(checkpoint_of(run), missing);
}

/// Waits until the program has saved, or has ended.
void wait_for_save(Program& program, const fs::path& run, fs::file_time_type before) {
  while (program.running() && saved_at(run) == before) {
    std::this_thread::sleep_for(milliseconds(1));
  }
}

TEST(Resume, ARunKilledAtAnyMomentEndsWithTheSameWeights) {
  TempFolder folder;
  fs::path run = folder.path() / "run";
  std::mt19937 random(20);
  auto random_time = [&](int most) { return milliseconds(random() % static_cast<unsigned>(most)); };
  constexpr int kKills = 4;
  int killed_in_training = 0;
  for (int round = 0; round < kKills; ++round) {
    auto before = saved_at(run);
    Program program(long_run(run, {"--resume"}));
    if (round == 0) {
      std::this_thread::sleep_for(random_time(800));  // perhaps before there is anything to resume
    } else {
      wait_for_save(program, run, before);
      std::this_thread::sleep_for(random_time(120));
    }
    program.send(SIGKILL);
    Outcome outcome = program.finish();
    if (outcome.exit_code == 0) break;
    ASSERT_EQ(outcome.exit_code, -SIGKILL) << outcome.err;
    killed_in_training += saved_at(run) != before ? 1 : 0;
  }
  RecordProperty("killed_in_training", killed_in_training);
  EXPECT_GE(killed_in_training, 2) << "the run is too short to be killed";
  Outcome last = bough(long_run(run, {"--resume"}));
  ASSERT_TRUE(fine(last));
  EXPECT_TRUE(has(last.err, "resuming at update"));
  EXPECT_EQ(state_of(run)["update"], kUpdates);
  expect_same_run(run, uninterrupted());
}

void expect_saved_by(int signal) {
  TempFolder folder;
  fs::path run = folder.path() / "run";
  Program program(long_run(run, {"--save-every", "0", "--epoch-updates", "70"}));
  // metrics.jsonl appears with the third update: nothing has been saved by then.
  while (program.running() && !fs::exists(run / "metrics.jsonl")) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  program.send(signal);
  Outcome outcome = program.finish();
  ASSERT_TRUE(refused(outcome, 130, {"interrupted", "saved", "--resume"}));
  int64_t update = state_of(run)["update"];
  EXPECT_GE(update, 3);
  EXPECT_LT(update, kUpdates);
  EXPECT_TRUE(has(outcome.err, "update " + std::to_string(update)));
  ASSERT_TRUE(fine(bough(long_run(run, {"--resume"}))));
  expect_same_run(run, uninterrupted());
}

TEST(Resume, SigintSavesAndExitsWith130) {
  expect_saved_by(SIGINT);
}

TEST(Resume, SigtermSavesAndExitsWith130) {
  expect_saved_by(SIGTERM);
}

/// A signal comes while a library multiplies matrices, more often than not, in a model of this
/// size. See signals.cc.
TEST(Resume, ASignalDoesNotDisturbMatrixProducts) {
  for (int i = 0; i < 6; ++i) {
    TempFolder folder;
    fs::path run = folder.path() / "run";
    Program program(long_run(run, {"--save-every", "0", "--updates", "100000", "--epoch-updates",
                                   "100000", "--hidden-size", "256", "--embedding-size", "128"}));
    while (program.running() && !fs::exists(run / "metrics.jsonl")) {
      std::this_thread::sleep_for(milliseconds(1));
    }
    std::this_thread::sleep_for(milliseconds(37 * i));
    program.send(SIGTERM);
    ASSERT_TRUE(refused(program.finish(), 130, {"interrupted", "saved", "--resume"})) << i;
  }
}

TEST(Resume, WhereThereIsNothingARunStartsAfresh) {
  TempFolder folder;
  fs::path corpus = TinyModels::shared().corpus();
  fs::create_directories(folder.path() / "two");
  auto outcomes =
      bough_each({tiny_train(corpus, folder.path() / "one", {"--updates", "3"}),
                  tiny_train(corpus, folder.path() / "two", {"--updates", "3", "--resume"})});
  EXPECT_TRUE(fine(outcomes[0]));
  EXPECT_TRUE(fine(outcomes[1]));
  expect_same_run(folder.path() / "one", folder.path() / "two");
}

TEST(Resume, ARunInTwoPartsIsTheRunInOne) {
  TempFolder folder;
  fs::path corpus = TinyModels::shared().corpus();
  auto call = [&](const char* name, const char* updates) {
    return tiny_train(corpus, folder.path() / name,
                      {"--valid", corpus, "--epoch-updates", "10", "--log-every", "1",
                       "--learning-rate", "0.01", "--updates", updates, "--resume"});
  };
  auto outcomes = bough_each({call("whole", "35"), call("parts", "17")});
  EXPECT_TRUE(fine(outcomes[0]));
  EXPECT_TRUE(fine(outcomes[1]));
  EXPECT_EQ(state_of(folder.path() / "parts")["update"], 17);
  ASSERT_TRUE(fine(bough(call("parts", "35"))));
  expect_same_run(folder.path() / "parts", folder.path() / "whole");
}

TEST(Resume, AFinishedRunStaysAsItIs) {
  TempFolder folder;
  fs::path corpus = TinyModels::shared().corpus();
  fs::path by_epochs = folder.path() / "epochs";
  fs::path by_patience = folder.path() / "patience";
  const Words epochs = {"--updates", "0", "--epochs", "2", "--resume"};
  // Nothing is learned, so that no epoch is better than the first.
  const Words patience = {
      "--updates", "0",    "--epochs", "9",       "--patience",      "2", "--resume",
      "--valid",   corpus, "--oracle", "uniform", "--learning-rate", "0"};
  const std::vector<Words> calls = {tiny_train(corpus, by_epochs, epochs),
                                    tiny_train(corpus, by_patience, patience)};
  for (const Outcome& outcome : bough_each(calls)) ASSERT_TRUE(fine(outcome));
  EXPECT_EQ(state_of(by_epochs)["epoch"], 2);
  EXPECT_EQ(state_of(by_patience)["epoch"], 3);
  for (const Outcome& outcome : bough_each(calls)) EXPECT_TRUE(fine(outcome));
  EXPECT_EQ(state_of(by_epochs)["epoch"], 2);
  EXPECT_EQ(state_of(by_patience)["epoch"], 3) << "a run that had lost patience trained on";
}

}  // namespace
}  // namespace bough
