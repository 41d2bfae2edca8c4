#include "bough/model/runtime.h"

#include <malloc.h>
#include <omp.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <thread>

#include "bough/base/error.h"
#include "bough/base/utf8.h"
#include "bough/model/memory_need.h"
#include "bough/model/torch.h"

namespace bough {

namespace {

/// None where LibTorch knows no such name.
std::optional<torch::Device> parse_device(const std::string& name) {
  try {
    return torch::Device(name);
  } catch (const c10::Error&) {
    return std::nullopt;
  }
}

}  // namespace

int64_t set_up_runtime(int64_t threads) {
  // LibTorch's kernels default to AVX2; this asks for more where the CPU has it, without effect
  // where it hasn't.
  if (__builtin_cpu_supports("avx512f")) ::setenv("ATEN_CPU_CAPABILITY", "avx512", 0);
  // glibc gives large blocks back to the kernel at every free; the page faults of getting them
  // again cost a fifth of the time.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 2'000'000'000);
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  at::set_num_threads(static_cast<int>(threads));
  omp_set_num_threads(static_cast<int>(threads));
  return threads;
}

void use_signal_stack() {
  constexpr size_t kEnough = 64 * 1024;  // the registers of AVX-512 alone take several thousand
  static thread_local std::array<char, kEnough> memory;
  stack_t now{};
  sigaltstack(nullptr, &now);
  if ((now.ss_flags & SS_DISABLE) == 0) return;
  stack_t own{};
  own.ss_sp = memory.data();
  own.ss_size = memory.size();
  sigaltstack(&own, nullptr);
}

void check_device(const std::string& name) {
  if (name == "cpu") return;
  std::optional<torch::Device> device = parse_device(name);
  if (!device || !device->is_cuda()) {
    throw UsageError("--device takes cpu, cuda or cuda:N, not '{}'", for_message(name));
  }
  if (!torch::cuda::is_available()) {
    throw UsageError("--device {}: this LibTorch has no CUDA device; cpu is always there", name);
  }
  if (device->has_index() && device->index() >= static_cast<int>(torch::cuda::device_count())) {
    throw UsageError("--device {}: there are {} CUDA devices, counted from 0", name,
                     torch::cuda::device_count());
  }
}

std::string slow_blas_warning() {
  constexpr int64_t kSize = 384;
  torch::Tensor a = torch::ones({kSize, kSize});
  double best = 1e9;
  for (int run = 0; run < 8; ++run) {
    auto start = std::chrono::steady_clock::now();
    torch::mm(a, a);
    std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
    if (best < 0.01) break;
  }
  double rate = 2e-9 * kSize * kSize * kSize / best;
  if (rate > 4.0) return "";
  return fmt::format(
      "the BLAS library in use is slow ({:.1f} GFLOP/s): install Debian's libopenblas0-openmp and "
      "bough will be many times faster",
      rate);
}

namespace {

/// What LibTorch says when the memory isn't enough, in our words; empty where it says something
/// else.
std::string out_of_memory(const std::string& message) {
  constexpr std::string_view kBefore = "tried to allocate ";
  size_t at = message.find(kBefore);
  if (at == std::string::npos) return "";
  double asked = std::strtod(message.c_str() + at + kBefore.size(), nullptr);
  return fmt::format(
      "out of memory: one tensor alone would take {:.1f} GB, and {:.1f} GB are free. Try smaller "
      "sizes or a smaller --batch-size",
      asked / 1e9, free_memory() / 1e9);
}

}  // namespace

void without_gradients(const std::function<void()>& work) {
  torch::NoGradGuard no_gradients;
  work();
}

void rethrow_plainly() {
  try {
    throw;
  } catch (const c10::Error& error) {
    std::string memory = out_of_memory(error.what_without_backtrace());
    throw RunError("{}", memory.empty() ? error.what_without_backtrace() : memory);
  } catch (const std::logic_error& error) {
    throw RunError("a mistake in bough itself: {}", error.what());
  }
}

}  // namespace bough
