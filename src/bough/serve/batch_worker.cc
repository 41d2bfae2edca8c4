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

void BatchWorker::Mailbox::fail(std::exception_ptr failed) {
  std::lock_guard lock(mutex);
  if (!failure) failure = std::move(failed);
  cancelled = true;
  fresh = true;
}

/// A client's job in the running batch: its errors are the client's, and it leaves with the client.
class BatchWorker::ClientJob : public Job {
 public:
  /// `share` is what its rows are counted in.
  ClientJob(std::shared_ptr<Mailbox> mailbox, std::unique_ptr<Job> job, int64_t& share)
      : mailbox_(std::move(mailbox)), job_(std::move(job)), share_(share) {
    share_ += rows_;
    std::lock_guard lock(mailbox_->mutex);
    ++mailbox_->inside;
  }
  ~ClientJob() override {
    job_.reset();  // what it refers to may be gone once the client knows that it has left
    share_ -= rows_;
    std::lock_guard lock(mailbox_->mutex);
    --mailbox_->inside;
    mailbox_->left = mailbox_->fresh = true;
  }
  ClientJob(const ClientJob&) = delete;
  ClientJob& operator=(const ClientJob&) = delete;

  SourceIds source() const override { return job_->source(); }
  std::span<const WordId> listed() const override { return job_->listed(); }
  int64_t most_rows() const override { return rows_; }
  bool cancelled() const override { return mailbox_->cancelled || job_->cancelled(); }

  void choose(std::span<ActionDistribution> slots) override {
    guarded([&] { job_->choose(slots); });
  }
  NextRows take() override {
    NextRows next;
    if (!mailbox_->cancelled) guarded([&] { next = job_->take(); });
    return next;
  }

 private:
  template <typename Work>
  void guarded(const Work& work) {
    try {
      with_plain_errors(work);
    } catch (...) {
      mailbox_->fail(std::current_exception());
    }
  }

  std::shared_ptr<Mailbox> mailbox_;
  std::unique_ptr<Job> job_;
  int64_t& share_;
  int64_t rows_ = job_->most_rows();
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
    // Rows are counted here: what a batch has at most depends on whose they are.
    batch.running = std::make_unique<RunningBatch>(*batch.stepper, INT64_MAX / 2);
  }
  while (admit_one_of_each(batch)) {
  }
  return true;
}

bool BatchWorker::admit_one_of_each(Batch& batch) {
  std::deque<BatchClient*> passed_over;
  std::deque<BatchClient*> served;
  bool any = false;
  bool full = false;  // whoever doesn't fit keeps the place for which it waits
  for (BatchClient* client : batch.clients) {
    int64_t rows = client->waiting_.front()->most_rows();
    full = full || (batch.regular > 0 && batch.regular + rows > batch.most_rows);
    bool guest = full && batch.guests + rows <= batch.most_rows && !client->is_inside();
    if (full && !guest) {
      passed_over.push_back(client);
      continue;
    }
    batch.running->submit(std::make_unique<ClientJob>(client->mailbox_,
                                                      std::move(client->waiting_.front()),
                                                      guest ? batch.guests : batch.regular));
    client->waiting_.pop_front();
    if (!client->waiting_.empty()) served.push_back(client);
    any = true;
  }
  batch.clients = std::move(passed_over);
  batch.clients.insert(batch.clients.end(), served.begin(), served.end());
  return any;
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
      if (client->is_inside()) client->mailbox_->fail(failure);
    }
  }
  if (!any) batch.running.reset();
  if (failure) renew_stepper(batch);
  auto after = std::chrono::steady_clock::now();
  {
    std::lock_guard lock(mutex_);
    batch.load.rows = rows;
    batch.load.steps += any ? 1 : 0;
    batch.load.row_steps += rows;
    batch.load.seconds += std::chrono::duration<double>(after - before).count();
  }
  wake(batch);
}

void BatchWorker::wake(const Batch& batch) {
  std::vector<std::shared_ptr<Mailbox>> fresh;
  {
    std::lock_guard lock(mutex_);
    for (const BatchClient* client : batch.present) {
      std::lock_guard own(client->mailbox_->mutex);
      if (std::exchange(client->mailbox_->fresh, false)) fresh.push_back(client->mailbox_);
    }
  }
  // Without a lock: who is woken would run into it.
  for (const auto& mailbox : fresh) mailbox->news.notify_one();
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
    std::scoped_lock locks(worker_.mutex_, mailbox_->mutex);
    mailbox_->failure = nullptr;
    mailbox_->cancelled = false;
    batch_.present.push_back(this);
  }
  int64_t made = 0;
  std::exception_ptr failure;
  try {
    while (hand_in(jobs, made)) {
      listen(jobs);
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
      std::scoped_lock locks(worker_.mutex_, mailbox_->mutex);
      if (mailbox_->failure) std::rethrow_exception(mailbox_->failure);
      int64_t there = static_cast<int64_t>(waiting_.size()) + mailbox_->inside;
      if (made == jobs.count) return there > 0 || !mailbox_->told.empty();
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

void BatchClient::listen(const Jobs& jobs) {
  std::vector<std::function<void()>> told;
  {
    std::unique_lock lock(mailbox_->mutex);
    mailbox_->news.wait_for(lock, kMoment, [&] {
      return !mailbox_->told.empty() || mailbox_->failure || mailbox_->left;
    });
    mailbox_->left = false;
    told.swap(mailbox_->told);
  }
  for (const auto& one : told) {
    one();
    // To tell may take long, where somebody reads slowly.
    if (jobs.between_steps) jobs.between_steps();
  }
}

void BatchClient::leave() {
  mailbox_->cancelled = true;
  std::deque<std::unique_ptr<Job>> dropped;
  {
    std::lock_guard lock(worker_.mutex_);
    std::erase(batch_.clients, this);
    dropped.swap(waiting_);
  }
  {
    std::unique_lock lock(mailbox_->mutex);
    mailbox_->news.wait(lock, [&] { return mailbox_->inside == 0; });
    mailbox_->told.clear();
  }
  std::lock_guard lock(worker_.mutex_);
  std::erase(batch_.present, this);
}

bool BatchClient::is_inside() const {
  std::lock_guard lock(mailbox_->mutex);
  return mailbox_->inside > 0;
}

void BatchClient::tell(std::function<void()> told) {
  std::lock_guard lock(mailbox_->mutex);
  mailbox_->told.push_back(std::move(told));
  mailbox_->fresh = true;
}

}  // namespace bough
