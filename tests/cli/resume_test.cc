// A training run that is killed, interrupted or stopped goes on as if nothing had happened.
#include <nlohmann/json.hpp>

#include "tiny_models.h"

namespace bough {
namespace {

constexpr int kUpdates = 400;

/// A run of a second or so. The oracle asks the policy from the second epoch on, dropout draws
/// masks, and the learning rate falls: all of that has to be taken up again.
Words long_run(const fs::path& out, const Words& more = {}) {
  fs::path corpus = TinyModels::shared().corpus();
  return tiny_train(corpus, out,
                    {"--valid",
                     corpus,
                     "--updates",
                     std::to_string(kUpdates),
                     "--epoch-updates",
                     "70",
                     "--save-every",
                     "4",
                     "--log-every",
                     "3",
                     "--batch-size",
                     "20",
                     "--oracle",
                     "annealed",
                     "--beta-rate",
                     "0.3",
                     "--rollin-beta-rate",
                     "-1",
                     "--dropout",
                     "0.2",
                     "--learning-rate",
                     "0.01",
                     "--lr-every",
                     "2"}) +
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

/// Waits until the run has been saved so many times more.
bool wait_for_saves(Program& program, const fs::path& run, int saves) {
  for (auto before = saved_at(run); saves > 0; --saves) {
    if (!wait_for(program, [&] { return saved_at(run) != before; })) return false;
    before = saved_at(run);
  }
  return true;
}

/// Kills the run behind some of its saves, or before it has begun, and says whether it was still
/// going on.
bool killed(const fs::path& run, int saves) {
  Program program(long_run(run, {"--resume"}));
  bool saved = saves == 0 ? wait_for(program, [&] { return fs::exists(run); })
                          : wait_for_saves(program, run, saves);
  program.send(SIGKILL);
  Outcome outcome = program.finish();
  EXPECT_TRUE(outcome.exit_code == -SIGKILL || outcome.exit_code == 0) << outcome.err;
  return saved && outcome.exit_code == -SIGKILL;
}

TEST(Resume, ARunKilledAtAnyMomentEndsWithTheSameWeights) {
  // A run that ends before it is killed, because this test had to wait for its turn, is tried anew.
  for (int attempt = 0; attempt < 10; ++attempt) {
    TempFolder folder;
    fs::path run = folder.path() / "run";
    bool all = true;
    for (int saves : {0, 1, 9, 4}) all = all && killed(run, saves);
    Outcome last = bough(long_run(run, {"--resume"}));
    ASSERT_TRUE(fine(last));
    EXPECT_EQ(state_of(run)["update"], kUpdates);
    expect_same_run(run, uninterrupted());
    if (!all) continue;
    EXPECT_TRUE(has(last.err, "resuming at update"));
    return;
  }
  FAIL() << "the run was never alive long enough to be killed four times";
}

void expect_saved_by(int signal) {
  TempFolder folder;
  fs::path run = folder.path() / "run";
  Program program(long_run(run, {"--save-every", "0", "--epoch-updates", "70"}));
  // metrics.jsonl appears with the third update: nothing has been saved by then.
  wait_for(program, [&] { return fs::exists(run / "metrics.jsonl"); });
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
    fs::path metrics = run / "metrics.jsonl";
    wait_for(program, [&] { return fs::exists(metrics); });
    wait_for(program, [&] { return lines_of(metrics).size() > static_cast<size_t>(3 * i); });
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
