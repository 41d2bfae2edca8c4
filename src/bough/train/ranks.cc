#include "bough/train/ranks.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <future>
#include <optional>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <vector>

#include "bough/base/error.h"
#include "bough/base/utf8.h"

namespace bough {

namespace {

using Milliseconds = std::chrono::milliseconds;
using StorePointer = c10::intrusive_ptr<c10d::Store>;

/// How long ranks wait for each other's sign of life once one is lost.
constexpr Milliseconds kRollCall{3000};

std::string text_of_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::optional<int64_t> number_of_variable(const char* name, int64_t least,
                                          int64_t most = INT32_MAX) {
  std::string text = text_of_variable(name);
  if (text.empty()) return std::nullopt;
  int64_t number = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size() || number < least ||
      number > most) {
    throw UsageError("the environment's {} takes a number from {} to {}, not '{}'", name, least,
                     most, for_message(text));
  }
  return number;
}

/// The variables of somebody who starts many processes.
struct Launcher {
  const char* rank;
  const char* size;
  const char* local_size;
  const char* address;  // besides MASTER_ADDR
};

constexpr Launcher kLaunchers[] = {
    {"RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_NTASKS_PER_NODE", "SLURM_LAUNCH_NODE_IPADDR"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MASTER_ADDR"}};

/// The address of this machine by which rank 0's is reached.
std::string own_address_towards(const RankPlace& place) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  std::string port = std::to_string(place.port);
  if (::getaddrinfo(place.address.c_str(), port.c_str(), &hints, &found) != 0) {
    throw std::runtime_error(fmt::format("there is no address for '{}'", place.address));
  }
  std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, ::freeaddrinfo);
  int socket = ::socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  std::array<char, NI_MAXHOST> name{};
  // Nothing is sent by this: the kernel only says which way it would go.
  bool good = ::connect(socket, found->ai_addr, found->ai_addrlen) == 0 &&
              ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) == 0 &&
              ::getnameinfo(reinterpret_cast<sockaddr*>(&own), size, name.data(), name.size(),
                            nullptr, 0, NI_NUMERICHOST) == 0;
  ::close(socket);
  if (!good) throw std::runtime_error(fmt::format("there is no way to '{}'", place.address));
  return name.data();
}

class GlooRanks : public Ranks {
 public:
  GlooRanks(StorePointer store, const RankPlace& place, Milliseconds timeout)
      : store_(std::move(store)), place_(place) {
    auto options = c10d::ProcessGroupGloo::Options::create(timeout);
    options->threads = 1;
    std::string interface = text_of_variable("GLOO_SOCKET_IFNAME");
    options->devices.push_back(
        interface.empty()
            ? c10d::ProcessGroupGloo::createDeviceForHostname(own_address_towards(place))
            : c10d::ProcessGroupGloo::createDeviceForInterface(interface));
    group_ = c10::make_intrusive<c10d::ProcessGroupGloo>(
        c10::make_intrusive<c10d::PrefixStore>("group", store_), static_cast<int>(place.rank),
        static_cast<int>(place.size), options);
  }

  int64_t rank() const override { return place_.rank; }
  int64_t size() const override { return place_.size; }

  void sum(std::span<double> numbers) override {
    auto count = static_cast<int64_t>(numbers.size());
    torch::Tensor tensor = torch::from_blob(numbers.data(), {count}, torch::kFloat64);
    begin_sum(tensor);
    finish();
  }

  void begin_sum(const torch::Tensor& tensor) override {
    guarded([&] {
      std::vector<at::Tensor> list = {tensor};
      under_way_.push_back(group_->allreduce(list));
    });
    // A ring: all but its own part is sent on twice.
    bytes_ += 2 * static_cast<int64_t>(tensor.nbytes()) * (size() - 1) / size();
  }

  void finish() override {
    auto waiting = std::exchange(under_way_, {});
    guarded([&] {
      for (auto& work : waiting) work->wait();
    });
  }

  using Ranks::gather;
  torch::Tensor gather(const torch::Tensor& tensor) override {
    std::vector<int64_t> shape = tensor.sizes().vec();
    shape.insert(shape.begin(), size());
    if (tensor.numel() == 0) return tensor.new_empty(shape);  // Gloo would divide by it
    std::vector<at::Tensor> own = {tensor.contiguous()};
    std::vector<std::vector<at::Tensor>> all(1);
    for (int64_t i = 0; i < size(); ++i) all[0].push_back(torch::empty_like(own[0]));
    guarded([&] { group_->allgather(all, own)->wait(); });
    bytes_ += static_cast<int64_t>(tensor.nbytes()) * (size() - 1);
    return torch::stack(all[0]);
  }

  torch::Tensor exchange(const torch::Tensor& parts) override {
    torch::Tensor own = parts.contiguous();
    torch::Tensor others = torch::empty_like(own);
    std::vector<int64_t> alike;
    guarded([&] { group_->alltoall_base(others, own, alike, alike)->wait(); });
    bytes_ += static_cast<int64_t>(own.nbytes()) * (size() - 1) / size();
    return others;
  }

  void share(const torch::Tensor& tensor) override {
    torch::Tensor whole = tensor.detach().contiguous();
    guarded([&] {
      std::vector<at::Tensor> list = {whole};
      group_->broadcast(list)->wait();
    });
    torch::NoGradGuard no_gradients;
    if (whole.data_ptr() != tensor.data_ptr()) tensor.detach().copy_(whole);
    if (leads()) bytes_ += static_cast<int64_t>(tensor.nbytes());
  }

  std::string share(const std::string& text) override {
    torch::Tensor size = torch::tensor({static_cast<int64_t>(text.size())}, torch::kInt64);
    share(size);
    auto bytes = size.item<int64_t>();
    if (bytes == 0) return "";
    torch::Tensor letters = torch::empty({bytes}, torch::kUInt8);
    if (leads()) std::memcpy(letters.data_ptr(), text.data(), text.size());
    share(letters);
    return {static_cast<const char*>(letters.data_ptr()), static_cast<size_t>(bytes)};
  }

  int64_t bytes_sent() const override { return bytes_; }

 private:
  template <typename Work>
  void guarded(const Work& work) {
    try {
      work();
    } catch (const std::exception& error) {
      throw RunError("{}. Nothing was saved since the last checkpoint: go on with --resume",
                     who_is_missing(error.what()));
    }
  }

  std::string who_is_missing(const std::string& why) {
    std::vector<int64_t> missing = missing_ranks();
    if (missing.empty()) {
      return fmt::format("the ranks can't talk to each other any more, though all {} live ({})",
                         size(), for_message(why.substr(0, why.find('\n')), 200));
    }
    return fmt::format(
        "no sign of life from rank {} of {}: lost, or hanging for longer than --rank-timeout",
        fmt::join(missing, ", "), size());
  }

  /// Where the roll call itself gets no answer, it is rank 0, at whose place it is held.
  std::vector<int64_t> missing_ranks() const {
    std::packaged_task<std::vector<int64_t>()> task(
        [store = store_, place = place_] { return call_roll(*store, place); });
    std::future<std::vector<int64_t>> missing = task.get_future();
    std::thread(std::move(task)).detach();  // it may wait for ever, and the process ends soon
    if (missing.wait_for(3 * kRollCall) != std::future_status::ready) return {0};
    try {
      return missing.get();
    } catch (const std::exception&) {
      return {0};
    }
  }

  /// Those that are there say so; the others are lost, or hang.
  static std::vector<int64_t> call_roll(c10d::Store& store, const RankPlace& place) {
    auto key = [](int64_t rank) { return fmt::format("here/{}", rank); };
    std::vector<int64_t> missing;
    store.set(key(place.rank), std::vector<uint8_t>{1});
    auto until = std::chrono::steady_clock::now() + kRollCall;
    do {
      std::this_thread::sleep_for(Milliseconds(100));
      missing.clear();
      for (int64_t other = 0; other < place.size; ++other) {
        if (!store.check({key(other)})) missing.push_back(other);
      }
    } while (!missing.empty() && std::chrono::steady_clock::now() < until);
    if (place.rank == 0) std::this_thread::sleep_for(kRollCall / 2);  // others still ask here
    return missing;
  }

  StorePointer store_;
  RankPlace place_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
  std::vector<c10::intrusive_ptr<c10d::Work>> under_way_;
  int64_t bytes_ = 0;
};

}  // namespace

std::vector<std::vector<int64_t>> Ranks::gather(const std::vector<int64_t>& numbers) {
  auto own_size = static_cast<int64_t>(numbers.size());
  torch::Tensor sizes = gather(torch::tensor({own_size}, torch::kInt64));
  torch::Tensor own = torch::zeros({sizes.max().item<int64_t>()}, torch::kInt64);
  std::ranges::copy(numbers, own.data_ptr<int64_t>());
  torch::Tensor all = gather(own);
  std::vector<std::vector<int64_t>> by_rank;
  for (int64_t i = 0; i < size(); ++i) {
    const auto* first = all[i].data_ptr<int64_t>();
    by_rank.emplace_back(first, first + sizes[i].item<int64_t>());
  }
  return by_rank;
}

RankPlace rank_in_environment() {
  RankPlace place;
  for (const Launcher& launcher : kLaunchers) {
    std::optional<int64_t> rank = number_of_variable(launcher.rank, 0);
    std::optional<int64_t> size = number_of_variable(launcher.size, 1);
    if (!rank || !size) continue;
    place.rank = *rank;
    place.size = *size;
    place.local_size = number_of_variable(launcher.local_size, 1).value_or(1);
    for (const char* variable : {launcher.address, "MASTER_ADDR"}) {
      if (std::string address = text_of_variable(variable); !address.empty())
        place.address = address;
    }
    place.port = number_of_variable("MASTER_PORT", 1, 65535).value_or(place.port);
    if (text_of_variable("TORCHELASTIC_USE_AGENT_STORE") == "True") {
      place.agents_store = fmt::format(
          "/worker/attempt_{}", number_of_variable("TORCHELASTIC_RESTART_COUNT", 0).value_or(0));
    }
    if (place.rank >= place.size) {
      throw UsageError("the environment's {} is {}, but {} says that there are {} processes",
                       launcher.rank, place.rank, launcher.size, place.size);
    }
    break;
  }
  return place;
}

Ranks& no_other_ranks() {
  static Ranks alone;
  return alone;
}

struct RankMeeting::Store {
  c10::intrusive_ptr<c10d::TCPStore> store;
};

RankMeeting::RankMeeting(int64_t size) : store_(std::make_unique<Store>()) {
  c10d::TCPStoreOptions options;
  options.port = 0;
  options.isServer = true;
  options.numWorkers = static_cast<size_t>(size);
  options.waitWorkers = false;
  store_->store = c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
}

RankMeeting::~RankMeeting() = default;

int64_t RankMeeting::port() const {
  return store_->store->getPort();
}

std::unique_ptr<Ranks> join_ranks(const RankPlace& place, double timeout,
                                  const RankMeeting* meeting) {
  auto wait = Milliseconds(static_cast<int64_t>(timeout * 1000.0));
  try {
    StorePointer store;
    if (meeting != nullptr) {
      store = meeting->store_->store;
    } else {
      c10d::TCPStoreOptions options;
      options.port = static_cast<uint16_t>(place.port);
      options.isServer = place.rank == 0 && place.agents_store.empty();
      options.numWorkers = static_cast<size_t>(place.size);
      options.timeout = wait;
      store = c10::make_intrusive<c10d::TCPStore>(place.address, options);
      if (!place.agents_store.empty()) {
        store = c10::make_intrusive<c10d::PrefixStore>(place.agents_store, store);
      }
    }
    return std::make_unique<GlooRanks>(store, place, wait);
  } catch (const std::exception& error) {
    std::string why = error.what();
    throw RunError(
        "rank {} of {} has not met the others at {}:{} ({}): start all of them, with the same "
        "MASTER_ADDR and MASTER_PORT",
        place.rank, place.size, place.address, place.port,
        for_message(why.substr(0, why.find('\n')), 200));
  }
}

}  // namespace bough
