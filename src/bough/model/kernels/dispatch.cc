#include "bough/model/kernels/dispatch.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "bough/base/error.h"
#include "bough/model/kernels/byte_table.h"
#include "bough/model/kernels/table.h"

namespace bough {

namespace {

constexpr std::string_view kPlain = "plain";

/// What BOUGH_KERNELS says: base, avx2, avx512 or plain (tests do); empty where it says nothing.
std::string_view wish() {
  const char* value = std::getenv("BOUGH_KERNELS");
  std::string_view name = value != nullptr ? value : "";
  if (name.empty() || name == "base" || name == "avx2" || name == "avx512" || name == kPlain) {
    return name;
  }
  throw UsageError("BOUGH_KERNELS takes base, avx2, avx512 or plain, not '{}'", name);
}

enum class Level { kBase, kAvx2, kAvx512, kAvx512Vnni };

/// What this processor can do.
Level most_here() {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Level::kBase;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512vl") ||
      !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512bw")) {
    return Level::kAvx2;
  }
  return __builtin_cpu_supports("avx512vnni") ? Level::kAvx512Vnni : Level::kAvx512;
}

/// The same, or less where that is asked for.
Level level() {
  Level most = most_here();
  if (wish() == "base") return Level::kBase;
  if (wish() == "avx2") return std::min(most, Level::kAvx2);
  if (wish() == "avx512") return std::min(most, Level::kAvx512);
  return most;
}

const KernelTable& table_of(Level level) {
  if (level >= Level::kAvx512) return kAvx512Kernels;
  return level == Level::kAvx2 ? kAvx2Kernels : kBaseKernels;
}

constexpr std::array<const ByteKernel*, 4> kByLevel = {&kBaseBytes, &kAvx2Bytes, &kAvx512Bytes,
                                                       &kAvx512VnniBytes};

}  // namespace

const KernelTable& kernels() {
  static const KernelTable& chosen = table_of(level());
  return chosen;
}

const ByteKernel& byte_kernel() {
  static const ByteKernel& chosen = *kByLevel[static_cast<size_t>(level())];
  return chosen;
}

std::vector<const ByteKernel*> byte_kernels() {
  std::vector<const ByteKernel*> result(kByLevel.begin(),
                                        kByLevel.begin() + static_cast<int>(most_here()) + 1);
  std::reverse(result.begin(), result.end());
  return result;
}

const char* kernel_name() {
  static const bool plain = wish() == kPlain;
  return plain ? kPlain.data() : kernels().name;
}

}  // namespace bough
