// One thread that computes for many: it keeps a running batch for each model (and each kind of
// work) full with the jobs of whoever has some (continuous batching).
//
// A request has a thread of its own and a BatchClient, which is a place to run jobs like any other
// (generate/running_batch.h): so what is written for a request is written by the same code as
// everywhere, and rows that never know their company make it the same sentences. Jobs join at the
// next step and leave when they are done. Where rows are short, the clients' jobs are let in one of
// each in turn, and whoever has nothing in a full batch is its guest: many long sentences for one
// don't keep others waiting.
//
// News for a client wait in its mailbox until the end of a step, and it is woken once for them all.
//
// What a job throws ends its own client's work and nobody else's. A client that gives up (its
// deadline is over, its listener gone) takes its jobs out before the next step.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "bough/generate/running_batch.h"

namespace bough {

class BatchClient;

class BatchWorker {
 public:
  using MakeStepper = std::function<std::unique_ptr<Stepper>()>;

  /// What the thread is to do its work within (gradients off, say).
  using Around = std::function<void(const std::function<void()>& work)>;

  explicit BatchWorker(Around around = {});
  /// Nobody may be waiting for it any more.
  ~BatchWorker();
  BatchWorker(const BatchWorker&) = delete;
  BatchWorker& operator=(const BatchWorker&) = delete;

  /// One more running batch, of at most so many rows unless one job takes more. Gives its number.
  size_t add_batch(MakeStepper make, int64_t most_rows);

  /// How busy a batch is.
  struct Load {
    int64_t rows = 0;     // computed side by side in the last step
    int64_t waiting = 0;  // jobs that haven't begun
    int64_t steps = 0;    // since the start
    int64_t row_steps = 0;
    double seconds = 0.0;  // that the steps took
  };
  Load load(size_t batch) const;

 private:
  friend class BatchClient;
  class ClientJob;

  /// What the thread has for a client. It outlives whichever of the two goes first.
  struct Mailbox {
    std::mutex mutex;
    std::condition_variable news;
    int64_t inside = 0;  // jobs in the running batch
    bool left = false;   // one has left it since the client last looked
    std::vector<std::function<void()>> told;
    std::exception_ptr failure;
    bool fresh = false;  // there are news that the client hasn't been woken for
    std::atomic<bool> cancelled{false};

    void fail(std::exception_ptr failed);
  };

  struct Batch {
    MakeStepper make;
    int64_t most_rows = 0;
    // Theirs is the worker's thread, once there are clients:
    std::unique_ptr<Stepper> stepper;
    int64_t regular = 0;  // rows that jobs inside may take
    int64_t guests = 0;   // and those of guests, beyond them
    std::unique_ptr<RunningBatch> running;
    Shape shape = Shape::kEnd;
    std::deque<BatchClient*> clients;   // with jobs that haven't begun, the next to be served first
    std::vector<BatchClient*> present;  // all whose `run` is under way
    Load load;
  };

  Batch& batch(size_t number);
  void work();
  /// Lets jobs in as there is room. Whether the batch has something to do.
  static bool admit(Batch& batch);
  /// Lets in one job of each client for which there is room. Whether there was one.
  static bool admit_one_of_each(Batch& batch);
  void step(Batch& batch);
  /// Wakes those whom the last step had news for.
  void wake(const Batch& batch);
  static void renew_stepper(Batch& batch);

  Around around_;
  mutable std::mutex mutex_;  // of all below, and of jobs that wait
  std::condition_variable wake_;
  std::deque<Batch> batches_;  // never moved
  bool stopping_ = false;
  std::thread thread_;
};

/// Somebody's place in a batch. One thread's.
class BatchClient : public JobRunner {
 public:
  BatchClient(BatchWorker& worker, size_t batch) : worker_(worker), batch_(worker.batch(batch)) {}

  Shape shape() const override { return batch_.shape; }
  void run(const Jobs& jobs) override;
  void tell(std::function<void()> told) override;

 private:
  friend class BatchWorker;

  /// Hands jobs in, as many as the batch has rows. Whether there are still some to come or to end.
  bool hand_in(const Jobs& jobs, int64_t& made);
  /// Whether one of its jobs is in the running batch.
  bool is_inside() const;
  /// Waits a moment for something to be told, and has it told; whoever gives up hears no more.
  void listen(const Jobs& jobs);
  /// Takes its jobs out of the batch, and waits until they are.
  void leave();

  BatchWorker& worker_;
  BatchWorker::Batch& batch_;
  std::shared_ptr<BatchWorker::Mailbox> mailbox_ = std::make_shared<BatchWorker::Mailbox>();
  std::deque<std::unique_ptr<Job>> waiting_;  // under the worker's mutex
};

}  // namespace bough
