// Decoding as a running batch: jobs join, take steps side by side and leave when they are done.
//
// A job writes one sentence: as one tree (sentence_job.h), or as several that are compared as they
// grow (beam.h). It has rows of the stepper to itself, and a row never knows its company
// (model/stepper.h): so what a job writes depends neither on the others nor on when it joined, and
// a full batch stays full as long as jobs wait.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "bough/model/action_distribution.h"
#include "bough/model/stepper.h"

namespace bough {

/// How a job's rows go on: each from one of its rows before, with the input of its next step.
struct NextRows {
  std::vector<int64_t> parents;
  std::vector<StepInput> inputs;
};

/// Some words, by number and rising, the special symbols among them; null: all words.
using WordList = std::shared_ptr<const std::vector<WordId>>;

inline std::span<const WordId> words_of(const WordList& list) {
  return list ? std::span<const WordId>(*list) : std::span<const WordId>();
}

class Job {
 public:
  virtual ~Job() = default;

  /// What it is written from; has to stay as long as the job.
  virtual SourceIds source() const = 0;
  /// The words that it is written with, as in a WordList: only these are scored. None: all. Jobs of
  /// a batch all list some, or none does.
  virtual std::span<const WordId> listed() const { return {}; }
  /// The most rows that it ever takes. It begins with one.
  virtual int64_t most_rows() const { return 1; }
  /// Whether it is to leave before its next step, without another call.
  virtual bool cancelled() const { return false; }

  /// Chooses how its rows go on. Jobs do this side by side on several threads.
  virtual void choose(std::span<ActionDistribution> slots) = 0;
  /// Does as it has chosen, and tells whoever listens, one job after the other. Without next rows
  /// the job is done.
  virtual NextRows take() = 0;
};

class RunningBatch {
 public:
  /// The stepper must outlive this; its rows are at most so many, unless one job takes more.
  RunningBatch(Stepper& stepper, int64_t most_rows) : stepper_(stepper), most_rows_(most_rows) {}

  void submit(std::unique_ptr<Job> job) { waiting_.push_back(std::move(job)); }

  /// Jobs begin where there is room, and all that have begun take a step. False where there are
  /// none. What a job throws comes out here, as an error of ours (with_plain_errors), and ends the
  /// batch.
  bool step();

  /// Jobs that have begun, and those that haven't.
  size_t active() const { return active_.size(); }
  size_t waiting() const { return waiting_.size(); }
  /// Whether another job would begin with the next step, if it takes no more rows than others.
  bool has_room() const;

 private:
  struct Active {
    std::unique_ptr<Job> job;
    NextRows next;  // counted from its own first row of the step before
    int64_t first_row = 0;
  };

  /// Rows that active jobs may take.
  int64_t reserved() const;
  /// Takes the stepper to this step's rows: those that go on, and those of jobs that begin.
  void advance();
  /// The sources of jobs that begin, which are active from now on.
  std::vector<SourceIds> admit(int64_t first_row);
  void choose();

  Stepper& stepper_;
  int64_t most_rows_;
  std::deque<std::unique_ptr<Job>> waiting_;
  std::vector<Active> active_;  // in the order of their rows
  std::vector<float> logits_;   // row after row: of what it lists, or of the vocabulary
};

/// Where somebody's jobs run: in a batch of their own, or in one that is shared
/// (serve/batch_worker.h).
class JobRunner {
 public:
  struct Jobs {
    int64_t count = 0;
    std::function<std::unique_ptr<Job>(int64_t index)> make;  // called in order, as there is room
    std::function<void()> between_steps = {};                 // ends it all by throwing
  };

  virtual ~JobRunner() = default;
  /// How the policy tells a tree's shape.
  virtual Shape shape() const = 0;
  /// Until all of them have left. `make` and `between_steps` are called by the caller's thread.
  virtual void run(const Jobs& jobs) = 0;
  /// For jobs under way: has this called by the thread that waits in `run`. Jobs may run on another
  /// one, which has better things to do.
  virtual void tell(std::function<void()> told) = 0;
};

/// A batch of one's own.
class OwnBatch : public JobRunner {
 public:
  /// The stepper must outlive this.
  OwnBatch(Stepper& stepper, int64_t most_rows) : stepper_(stepper), batch_(stepper, most_rows) {}

  Shape shape() const override { return stepper_.shape(); }
  void run(const Jobs& jobs) override;
  void tell(std::function<void()> told) override { told(); }

 private:
  Stepper& stepper_;
  RunningBatch batch_;
};

/// Runs jobs 0 … count − 1, and hands on what each of them gives in that order.
template <typename Result>
struct InOrder {
  using Done = std::function<void(Result&&)>;

  int64_t count = 0;
  std::function<std::unique_ptr<Job>(int64_t index, Done done)> make;
  std::function<void(Result&&)> take;
  std::function<void()> between_steps = {};  // ends it all by throwing

  void run(JobRunner& runner) const {
    std::map<int64_t, Result> finished;  // before an earlier one
    int64_t next = 0;
    auto done = [&](int64_t index, Result&& result) {
      finished.emplace(index, std::move(result));
      for (auto it = finished.begin(); it != finished.end() && it->first == next; ++next) {
        take(std::move(it->second));
        it = finished.erase(it);
      }
    };
    auto make_one = [&](int64_t index) {
      return make(index, [&, index](Result&& result) {
        auto kept = std::make_shared<Result>(std::move(result));
        runner.tell([&done, index, kept] { done(index, std::move(*kept)); });
      });
    };
    runner.run({.count = count, .make = make_one, .between_steps = between_steps});
  }
};

}  // namespace bough
