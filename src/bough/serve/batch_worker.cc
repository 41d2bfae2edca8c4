#include "bough/serve/batch_worker.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "bough/model/runtime.h"

namespace bough {

namespace {

/// How often a client that hears nothing looks whether it should give up.
constexpr std::chrono::milliseconds kMoment{20};

}  // namespace

/// A client's job in the running batch: its errors are the client's, and it leaves with the client.
class BatchWorker::ClientJob : public Job {
 public:
  ClientJob(BatchClient& client, std::unique_ptr<Job> job)
      : client_(client), job_(std::move(job)) {}
  ~ClientJob() override {
    job_.reset();  // what it refers to may be gone once the client knows that it has left
    std::lock_guard lock(client_.worker_.mutex_);
    --client_.inside_;
    client_.left_ = true;
    client_.news_.notify_one();
  }
  ClientJob(const ClientJob&) = delete;
  ClientJob& operator=(const ClientJob&) = delete;

  SourceIds source() const override { return job_->source(); }
  std::span<const WordId> listed() const override { return job_->listed(); }
  int64_t most_rows() const override { return job_->most_rows(); }
  bool cancelled() const override { return client_.cancelled_ || job_->cancelled(); }

  void choose(std::span<ActionDistribution> slots) override {
    guarded([&] { job_->choose(slots); });
  }
  NextRows take() override {
    NextRows next;
    if (!client_.cancelled_) guarded([&] { next = job_->take(); });
    return next;
  }

 private:
  template <typename Work>
  void guarded(const Work& work) {
    try {
      with_plain_errors(work);
    } catch (...) {
      std::lock_guard lock(client_.worker_.mutex_);
      client_.fail(std::current_exception());
    }
  }

  BatchClient& client_;
  std::unique_ptr<Job> job_;
};

BatchWorker::BatchWorker(Around around) : around_(std::move(around)) {
  thread_ = std::thread([this] {
    if (around_) {
      around_([this] { work(); });
    } else {
      work();
    }
  });
}

BatchWorker::~BatchWorker() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

size_t BatchWorker::add_batch(MakeStepper make, int64_t most_rows) {
  std::unique_ptr<Stepper> stepper = make();
  std::lock_guard lock(mutex_);
  Batch& batch = batches_.emplace_back();
  batch.make = std::move(make);
  batch.most_rows = most_rows;
  batch.shape = stepper->shape();
  batch.stepper = std::move(stepper);
  return batches_.size() - 1;
}

BatchWorker::Batch& BatchWorker::batch(size_t number) {
  std::lock_guard lock(mutex_);
  return batches_.at(number);
}

BatchWorker::Load BatchWorker::load(size_t batch) const {
  std::lock_guard lock(mutex_);
  const Batch& own = batches_.at(batch);
  Load load = own.load;
  for (const BatchClient* client : own.clients) {
    load.waiting += static_cast<int64_t>(client->waiting_.size());
  }
  return load;
}

void BatchWorker::work() {
  std::vector<Batch*> busy;
  for (;;) {
    busy.clear();
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] {
        for (Batch& batch : batches_) {
          if (admit(batch)) busy.push_back(&batch);
        }
        return stopping_ || !busy.empty();
      });
      if (busy.empty()) return;
    }
    for (Batch* batch : busy) step(*batch);
  }
}

bool BatchWorker::admit(Batch& batch) {
  if (batch.clients.empty() && !batch.running) return false;
  if (!batch.running) {
    batch.running = std::make_unique<RunningBatch>(*batch.stepper, batch.most_rows);
  }
  while (!batch.clients.empty() && batch.running->has_room()) {
    BatchClient& client = *batch.clients.front();
    batch.clients.pop_front();
    ++client.inside_;
    batch.running->submit(std::make_unique<ClientJob>(client, std::move(client.waiting_.front())));
    client.waiting_.pop_front();
    if (!client.waiting_.empty()) batch.clients.push_back(&client);
  }
  return true;
}

void BatchWorker::step(Batch& batch) {
  auto before = std::chrono::steady_clock::now();
  std::exception_ptr failure;
  bool any = false;
  try {
    any = batch.running->step();
  } catch (...) {
    failure = std::current_exception();
  }
  auto rows = any ? batch.stepper->rows() : 0;
  if (failure) {
    // Not a job's failure but the batch's: all that are in it have failed, and it begins anew.
    std::lock_guard lock(mutex_);
    for (BatchClient* client : batch.present) {
      if (client->inside_ > 0) client->fail(failure);
    }
  }
  if (!any) batch.running.reset();  // outside the lock, which jobs take when they leave
  if (failure) renew_stepper(batch);
  std::lock_guard lock(mutex_);
  batch.load.rows = rows;
  batch.load.steps += any ? 1 : 0;
  batch.load.row_steps += rows;
  batch.load.seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
}

void BatchWorker::renew_stepper(Batch& batch) {
  try {
    batch.stepper = batch.make();
  } catch (...) {
    // Out of memory, perhaps: the old one begins anew with the next sentence, too.
  }
}

void BatchClient::run(const Jobs& jobs) {
  {
    std::lock_guard lock(worker_.mutex_);
    failure_ = nullptr;
    cancelled_ = false;
    batch_.present.push_back(this);
  }
  int64_t made = 0;
  std::exception_ptr failure;
  try {
    while (hand_in(jobs, made)) {
      listen();
      if (jobs.between_steps) jobs.between_steps();
    }
  } catch (...) {
    failure = std::current_exception();
  }
  leave();
  if (failure) std::rethrow_exception(failure);
}

bool BatchClient::hand_in(const Jobs& jobs, int64_t& made) {
  for (;;) {
    {
      std::lock_guard lock(worker_.mutex_);
      if (failure_) std::rethrow_exception(failure_);
      int64_t there = static_cast<int64_t>(waiting_.size()) + inside_;
      if (made == jobs.count) return there > 0 || !told_.empty();
      if (there >= batch_.most_rows) return true;
    }
    std::unique_ptr<Job> job = jobs.make(made++);
    {
      std::lock_guard lock(worker_.mutex_);
      if (waiting_.empty()) batch_.clients.push_back(this);
      waiting_.push_back(std::move(job));
    }
    worker_.wake_.notify_one();
  }
}

void BatchClient::listen() {
  std::vector<std::function<void()>> told;
  {
    std::unique_lock lock(worker_.mutex_);
    news_.wait_for(lock, kMoment, [&] { return !told_.empty() || failure_ || left_; });
    left_ = false;
    told.swap(told_);
  }
  for (const auto& one : told) one();
}

void BatchClient::leave() {
  cancelled_ = true;
  std::unique_lock lock(worker_.mutex_);
  std::erase(batch_.clients, this);
  std::deque<std::unique_ptr<Job>> dropped = std::exchange(waiting_, {});
  news_.wait(lock, [&] { return inside_ == 0; });
  std::erase(batch_.present, this);
  told_.clear();
}

void BatchClient::tell(std::function<void()> told) {
  std::lock_guard lock(worker_.mutex_);
  told_.push_back(std::move(told));
  news_.notify_one();
}

void BatchClient::fail(std::exception_ptr failure) {
  if (!failure_) failure_ = std::move(failure);
  cancelled_ = true;
  news_.notify_one();
}

}  // namespace bough
