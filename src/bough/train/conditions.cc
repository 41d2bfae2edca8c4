#include "bough/train/conditions.h"

#include <fmt/format.h>
#include <omp.h>

#include <vector>

#include "bough/base/version.h"
#include "bough/model/kernels/dispatch.h"

namespace bough {

Conditions Conditions::now(const std::string& device) {
  return {.threads = omp_get_max_threads(),
          .kernels = device == "cpu" ? kernel_name() : device,
          .version = std::string(bough::version())};
}

std::string change_of_conditions(const Conditions& then, const Conditions& now) {
  if (then.threads == 0) {
    return "the run is of a bough that didn't note its --threads: what it learns from here on may "
           "differ from an uninterrupted run";
  }
  std::vector<std::string> changes;
  if (then.threads != now.threads) {
    changes.push_back(fmt::format("--threads {} instead of {}", now.threads, then.threads));
  }
  if (then.kernels != now.kernels) {
    changes.push_back(fmt::format("kernels {} instead of {}", now.kernels, then.kernels));
  }
  if (then.version != now.version) {
    changes.push_back(fmt::format("bough {} instead of {}", now.version, then.version));
  }
  if (changes.empty()) return "";
  return fmt::format(
      "the run goes on with {}: from the same weights, with the same batches, but from here on its "
      "numbers aren't bit for bit those of an uninterrupted run",
      fmt::join(changes, " and "));
}

}  // namespace bough
