// The processes that train one model together: each takes its share of every batch, and all have
// the same weights. They talk by LibTorch's own c10d with Gloo.
//
// Who they are is told by the environment: as torchrun sets it (RANK, WORLD_SIZE,
// MASTER_ADDR, MASTER_PORT), else as Slurm or Open MPI do. A process that finds none of it is
// alone. They meet at rank 0's port, or where torchrun's agent keeps one open there, at that.
//
// All of them call the same functions in the same order. A rank that is lost, or hangs for longer
// than the time-out, makes the call of every other one fail with a RunError that names it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bough/model/torch.h"

namespace bough {

/// Which of them a process is.
struct RankPlace {
  int64_t rank = 0;
  int64_t size = 1;
  int64_t local_size = 1;             // of those on the same machine
  std::string address = "127.0.0.1";  // of rank 0
  int64_t port = 29500;
  std::string agents_store =
      {};  // where it isn't rank 0 that listens there: what our names begin with
};

/// As the environment says it; UsageError where it contradicts itself.
RankPlace rank_in_environment();

/// As they are here, one process by itself.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int64_t rank() const { return 0; }
  virtual int64_t size() const { return 1; }
  /// The leader logs and writes.
  bool leads() const { return rank() == 0; }

  /// Puts sums over all into their place.
  virtual void sum(std::span<double> /*numbers*/) {}
  /// Begins to do so with a tensor, which nobody may touch before `finish`.
  virtual void begin_sum(const torch::Tensor& /*tensor*/) {}
  virtual void finish() {}
  /// Everybody's tensor, of one size: [ranks, …].
  virtual torch::Tensor gather(const torch::Tensor& tensor) { return tensor.unsqueeze(0); }
  /// Everybody's numbers, however many, by rank.
  std::vector<std::vector<int64_t>> gather(const std::vector<int64_t>& numbers);
  /// Of [ranks, …], the i-th goes to rank i; gives what the others have sent here, by rank.
  virtual torch::Tensor exchange(const torch::Tensor& parts) { return parts; }
  /// The leader's numbers, or text, for all.
  virtual void share(const torch::Tensor& /*tensor*/) {}
  virtual std::string share(const std::string& text) { return text; }
  /// That this one has sent, about: what the algorithms need.
  virtual int64_t bytes_sent() const { return 0; }
};

/// One process by itself.
Ranks& no_other_ranks();

/// A meeting point for processes of one machine: rank 0 opens it, and tells the others its port.
class RankMeeting {
 public:
  explicit RankMeeting(int64_t size);
  ~RankMeeting();
  int64_t port() const;

 private:
  friend std::unique_ptr<Ranks> join_ranks(const RankPlace&, double, const RankMeeting*);
  struct Store;
  std::unique_ptr<Store> store_;
};

/// Meets the others; waits `timeout` seconds for them, as for every answer later. RunError where
/// some don't come. Where it is at a meeting of its own, `meeting` outlives the ranks.
std::unique_ptr<Ranks> join_ranks(const RankPlace& place, double timeout,
                                  const RankMeeting* meeting = nullptr);

}  // namespace bough
