#include "neural/compute.h"

#include <spdlog/spdlog.h>

#include "bough/model/kernels/dispatch.h"
#include "bough/model/runtime.h"

namespace bough::cli {

void set_up(const ComputeOptions& options) {
  check_device(options.device);
  int64_t in_use = set_up_runtime(options.threads);
  spdlog::info("{} thread{}, {} kernels", in_use, in_use == 1 ? "" : "s",
               options.device == "cpu" ? kernel_name() : options.device);
  std::string warning = slow_blas_warning();
  if (!warning.empty()) spdlog::warn(warning);
}

std::optional<Precision> precision_said(Precision said, OptionSet& set) {
  return set.find("precision")->was_set ? std::optional(said) : std::nullopt;
}

}  // namespace bough::cli
