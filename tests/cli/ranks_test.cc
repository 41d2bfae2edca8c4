// Several processes that train one model: what they learn is what one would, and they stop
// together.
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tiny_models.h"

namespace bough {
namespace {

using Json = nlohmann::json;

/// Twenty updates, without validation: the last model is kept.
Words some_updates(const fs::path& out, const Words& more = {}) {
  return tiny_train(TinyModels::shared().corpus(), out,
                    {"--updates", "20", "--epoch-updates", "5", "--batch-size", "8", "--log-every",
                     "1", "--learning-rate", "0.003"}) +
         more;
}

/// The largest difference of a number, and of a loss on the way.
struct Difference {
  double weights = 0.0;
  double losses = 0.0;
};

std::vector<float> floats_of(const std::string& bytes) {
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

Difference difference_of(const fs::path& one, const fs::path& other) {
  Difference result;
  std::map<std::string, std::string> theirs_by_name = tensors_of(other / "model.safetensors");
  for (const auto& [name, bytes] : tensors_of(one / "model.safetensors")) {
    std::vector<float> x = floats_of(bytes);
    std::vector<float> y = floats_of(theirs_by_name.at(name));
    EXPECT_EQ(x.size(), y.size());
    for (size_t i = 0; i < x.size(); ++i) {
      result.weights = std::max(result.weights, std::abs(static_cast<double>(x[i]) - y[i]));
    }
  }
  std::vector<Json> mine = json_lines(lines_of(one / "metrics.jsonl"));
  std::vector<Json> theirs = json_lines(lines_of(other / "metrics.jsonl"));
  EXPECT_EQ(mine.size(), theirs.size());
  for (size_t i = 0; i < std::min(mine.size(), theirs.size()); ++i) {
    if (!mine[i].contains("loss")) continue;
    result.losses = std::max(
        result.losses, std::abs(mine[i]["loss"].get<double>() - theirs[i]["loss"].get<double>()));
  }
  return result;
}

class RanksTest : public testing::Test {
 protected:
  fs::path run(const std::string& name, const Words& more) {
    fs::path out = folder_.path() / name;
    Outcome outcome = bough(some_updates(out, more));
    EXPECT_TRUE(fine(outcome));
    return out;
  }

  TempFolder folder_;
};

TEST_F(RanksTest, LearnWhatOneProcessWould) {
  const Words kinds[] = {
      {"--oracle", "uniform"},
      {"--oracle", "annealed", "--beta-rate", "0.4", "--rollin-beta-rate", "-1", "--dropout", "0.3",
       "--layers", "2"},
      {"--policy", "transformer", "--heads", "2", "--oracle", "annealed", "--beta-rate", "0.4",
       "--rollin-beta-rate", "-1", "--dropout", "0.3", "--end-head"},
      {"--task", "reorder", "--oracle", "annealed", "--shape", "arity", "--dropout", "0.2"}};
  int number = 0;
  for (const Words& kind : kinds) {
    SCOPED_TRACE(testing::PrintToString(kind));
    std::string name = std::to_string(number++);
    fs::path alone = run("alone" + name, kind);
    // One sentence of a batch of eight is left over where three share it.
    for (const char* workers : {"2", "3"}) {
      fs::path together =
          run(std::string("together") + workers + name, kind + Words{"--workers", workers});
      Difference difference = difference_of(alone, together);
      EXPECT_LT(difference.losses, 1e-3);
      EXPECT_LT(difference.weights, 5e-3);
    }
    fs::path other = run("other" + name, kind + Words{"--seed", "2"});
    EXPECT_GT(difference_of(alone, other).weights, 5e-2);
  }
}

/// What a run's first epoch was judged to be worth.
Json judgement_of(const fs::path& run) {
  for (Json& line : json_lines(lines_of(run / "metrics.jsonl"))) {
    if (line.contains("valid_loss")) return line;
  }
  return {};
}

TEST_F(RanksTest, JudgeInShares) {
  // So slowly that all have the weights that they began with: they write the same.
  const Words slow = {"--valid",
                      TinyModels::shared().corpus(),
                      "--valid-likelihood",
                      "2",
                      "--valid-samples",
                      "7",
                      "--learning-rate",
                      "1e-9",
                      "--updates",
                      "1"};
  for (const char* task : {"lm", "reorder"}) {
    Json alone = judgement_of(run(std::string("alone-") + task, slow + Words{"--task", task}));
    for (const char* workers : {"2", "3"}) {
      SCOPED_TRACE(fmt::format("{} {}", task, workers));
      Json together = judgement_of(run(fmt::format("{}-{}", task, workers),
                                       slow + Words{"--task", task, "--workers", workers}));
      const bool lm = std::string(task) == "lm";
      for (const char* name : {"valid_loss", "valid_perplexity", lm ? "sample_bleu" : "bleu",
                               lm ? "sample_self_bleu" : "f1"}) {
        ASSERT_TRUE(alone.contains(name)) << name << alone.dump();
        EXPECT_NEAR(together.at(name).get<double>(), alone.at(name).get<double>(),
                    1e-4 * alone.at(name).get<double>())
            << name;
      }
    }
  }
}

TEST_F(RanksTest, MayHaveNothingToJudge) {
  // No samples at all, and more ranks than sentences.
  fs::path few = folder_.path() / "few";
  put(few, joined({tiny_sentences().begin(), tiny_sentences().begin() + 2}));
  for (const char* samples : {"0", "2"}) {
    run(std::string("samples") + samples,
        {"--valid", few, "--valid-samples", samples, "--workers", "3", "--updates", "5"});
  }
}

double megabytes_sent(const Outcome& outcome) {
  size_t at = outcome.err.find("has sent about ");
  EXPECT_NE(at, std::string::npos) << outcome.err;
  return at == std::string::npos ? 0.0 : std::stod(outcome.err.substr(at + 15));
}

TEST_F(RanksTest, SendLessWhereAskedTo) {
  // Many words, of which a batch has few: their vectors' gradients are sent by rows.
  std::string many;
  for (int i = 0; i < 3000; ++i) many += fmt::format("w{} w{} w{}\n", i, (i * 7) % 3000, i / 2);
  fs::path corpus = folder_.path() / "many";
  put(corpus, many);
  Words wide = {"--train", corpus, "--embedding-size", "64"};
  fs::path alone = run("alone", wide);
  std::map<std::string, double> sent;
  for (const char* numbers : {"float", "bfloat16"}) {
    fs::path out = folder_.path() / numbers;
    Outcome outcome =
        bough(some_updates(out, wide + Words{"--workers", "2", "--gradient-exchange", numbers}));
    ASSERT_TRUE(fine(outcome));
    sent[numbers] = megabytes_sent(outcome);
    Difference difference = difference_of(alone, out);
    EXPECT_LT(difference.losses, numbers == std::string("float") ? 1e-3 : 2e-2) << numbers;
  }
  // 3,000 words × 64 numbers of 4 bytes, once: the output layer's, and not the word vectors'.
  EXPECT_LT(sent["float"], 1.1);
  EXPECT_GT(sent["float"], 0.76);
  EXPECT_NEAR(sent["bfloat16"], 0.5 * sent["float"], 0.15);
}

TEST_F(RanksTest, AreToldByTheEnvironment) {
  fs::path workers = run("workers", {"--workers", "2"});
  // As torchrun, Slurm and Open MPI name them.
  const Words names[] = {
      {"RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE"},
      {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_NTASKS_PER_NODE"},
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"}};
  for (const Words& name : names) {
    fs::path out = folder_.path() / name[0];
    std::string port = "MASTER_PORT=" + std::to_string(20000 + ::getpid() % 20000);
    auto environment = [&](const char* rank) {
      return Words{name[0] + "=" + rank, name[1] + "=2", name[2] + "=2", port,
                   "MASTER_ADDR=127.0.0.1"};
    };
    Program second(some_updates(folder_.path() / "nowhere"), "", environment("1"));
    Program first(some_updates(out), "", environment("0"));
    EXPECT_TRUE(fine(first.finish()));
    EXPECT_TRUE(fine(second.finish()));
    EXPECT_FALSE(fs::exists(folder_.path() / "nowhere")) << "only rank 0 writes";
    EXPECT_EQ(difference_of(workers, out).weights, 0.0);
  }
  Outcome wrong = bough(some_updates(folder_.path() / "wrong"), "", {"RANK=2", "WORLD_SIZE=2"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(has(wrong.err, "RANK is 2"));
  Outcome number = bough(some_updates(folder_.path() / "wrong"), "", {"RANK=x", "WORLD_SIZE=2"});
  EXPECT_EQ(number.exit_code, 2);
  Outcome late = bough(some_updates(folder_.path() / "wrong", {"--rank-timeout", "1"}), "",
                       {"RANK=1", "WORLD_SIZE=2", "MASTER_PORT=1"});
  EXPECT_TRUE(has(late.err, "rank 1 of 2 has not met the others at 127.0.0.1:1")) << late.err;
  EXPECT_EQ(bough(some_updates(folder_.path() / "wrong"), "",
                  {"RANK=0", "WORLD_SIZE=2", "MASTER_PORT=70000"})
                .exit_code,
            2);
  EXPECT_FALSE(fs::exists(folder_.path() / "wrong"));
}

TEST_F(RanksTest, ReadTheSameData) {
  fs::path other = folder_.path() / "other";
  put(other, joined({tiny_sentences().begin(), tiny_sentences().end() - 3}));
  std::string port = "MASTER_PORT=" + std::to_string(20000 + ::getpid() % 20000);
  Words common = {"WORLD_SIZE=2", port, "MASTER_ADDR=127.0.0.1"};
  fs::path out = folder_.path() / "out";
  Program second(some_updates(out, {"--train", other}), "", common + Words{"RANK=1"});
  Program first(some_updates(out), "", common + Words{"RANK=0"});
  Outcome outcome = first.finish();
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_TRUE(has(outcome.err, "rank 1 reads other than rank 0")) << outcome.err;
  EXPECT_FALSE(fs::exists(out)) << "nothing is begun";
  // Validation data, too, and where only one has any.
  Program third(some_updates(out, {"--valid", other}), "", common + Words{"RANK=1"});
  EXPECT_EQ(bough(some_updates(out), "", common + Words{"RANK=0"}).exit_code, 3);
  EXPECT_EQ(third.finish().exit_code, 3);
  EXPECT_EQ(second.finish().exit_code, 3);
}

/// A run that goes on until somebody ends it.
class EndlessRanks : public RanksTest {
 protected:
  fs::path out_ = folder_.path() / "run";
  Words call_ = some_updates(out_, {"--updates", "1000000", "--epochs", "1000000",
                                    "--epoch-updates", "20", "--rank-timeout", "20"});

  static bool waited_for(const std::function<bool()>& what) {
    for (int i = 0; i < 3000; ++i) {
      if (what()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }

  static bool learns(const Program& run) {
    return waited_for([&] { return has(run.said(), "epoch "); });
  }

  /// The process that the other one has started.
  static pid_t child_of(pid_t parent) {
    std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", parent));
    pid_t child = 0;
    children >> child;
    return child;
  }
};

TEST_F(EndlessRanks, NoticeThatOneIsLost) {
  Program run(call_ + Words{"--workers", "2"});
  ASSERT_TRUE(learns(run));
  pid_t child = child_of(run.process());
  ASSERT_GT(child, 0);
  ::kill(child, SIGKILL);
  Outcome outcome = run.finish();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "no sign of life from rank 1 of 2")) << outcome.err;
  // What was saved is whole, and one process alone goes on with it.
  Outcome more = bough({"train", "--resume", "--out", out_, "--max-minutes", "0.01"});
  EXPECT_TRUE(fine(more));
  EXPECT_TRUE(has(more.err, "resuming at update"));
}

TEST_F(EndlessRanks, NoticeThatOneHangs) {
  Program run(call_ + Words{"--workers", "2", "--rank-timeout", "3"});
  ASSERT_TRUE(learns(run));
  pid_t child = child_of(run.process());
  ::kill(child, SIGSTOP);
  Outcome outcome = run.finish();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "rank 1 of 2")) << outcome.err;
  EXPECT_NE(::kill(child, 0), 0) << "the worker is still there";
}

TEST_F(EndlessRanks, StopTogetherWhereOneIsAskedTo) {
  for (bool parent : {false, true}) {
    Program run(call_ + Words{"--workers", "2", "--resume"});
    ASSERT_TRUE(learns(run));
    ::kill(parent ? run.process() : child_of(run.process()), SIGTERM);
    Outcome outcome = run.finish();
    EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "the run is saved")) << outcome.err;
  }
}

TEST_F(RanksTest, GoOnWithAnotherNumber) {
  Words kind = {"--oracle",           "annealed", "--beta-rate", "0.4",
                "--rollin-beta-rate", "-1",       "--dropout",   "0.2"};
  fs::path alone = run("alone", kind);
  fs::path parts = run("parts", kind + Words{"--workers", "3", "--updates", "7"});
  run("parts", kind + Words{"--resume", "--updates", "13"});
  run("parts", kind + Words{"--resume", "--workers", "2", "--updates", "20"});
  Difference difference = difference_of(alone, parts);
  EXPECT_LT(difference.weights, 5e-3);
}

TEST_F(RanksTest, ValidateTogether) {
  fs::path corpus = TinyModels::shared().corpus();
  Words kind = {"--valid", corpus, "--oracle", "annealed", "--valid-samples", "8"};
  auto last_validation = [](const fs::path& run) {
    double loss = 0.0;
    for (const Json& line : json_lines(lines_of(run / "metrics.jsonl"))) {
      loss = line.value("valid_loss", loss);
    }
    return loss;
  };
  double alone = last_validation(run("alone", kind));
  double together = last_validation(run("together", kind + Words{"--workers", "2"}));
  EXPECT_GT(alone, 0.1);
  EXPECT_NEAR(alone, together, 1e-3);
}

}  // namespace
}  // namespace bough
