#include "bough/model/memory_need.h"

#include <fstream>
#include <limits>

#include "bough/base/error.h"
#include "bough/model/policy.h"

namespace bough {

namespace {

/// What to do: of a model that is to be trained, the options that its size follows from.
std::string way_out(const PolicyRequest& request, MemoryUse use) {
  if (use == MemoryUse::kWeights) return "End other programs, or take a machine with more memory";
  const PolicyOptions& options = request.options;
  std::string sizes = fmt::format("Make --hidden-size ({}), --embedding-size ({}), --layers ({})",
                                  options.hidden_size, options.embedding_size, options.layers);
  if (options.policy == PolicyKind::kTransformer) {
    sizes += fmt::format(", --feed-forward ({})", options.transformer.feed_forward);
  }
  return sizes +
         fmt::format(" or the vocabulary (--max-vocab, now {}) smaller", request.vocabulary);
}

/// The first number of a file that begins with one, or that stands behind `name` in it.
double number_in(const char* path, const std::string& name = "") {
  std::ifstream file(path);
  double number = std::numeric_limits<double>::infinity();
  for (std::string word; !name.empty() && word != name && file >> word;) continue;
  file >> number;
  return file ? number : std::numeric_limits<double>::infinity();
}

}  // namespace

double free_memory() {
  double kilobytes = number_in("/proc/meminfo", "MemAvailable:");
  double allowed = number_in("/sys/fs/cgroup/memory.max");  // "max" where there is no bound
  return std::min(1024.0 * kilobytes, allowed);
}

int64_t count_weights(PolicyRequest request) {
  request.device = torch::kMeta;
  int64_t count = 0;
  for (const auto& [name, tensor] : make_policy(request)->parameters()) count += tensor.numel();
  return count;
}

void check_memory(const PolicyRequest& request, MemoryUse use) {
  if (!request.device.is_cpu()) return;
  int64_t weights = count_weights(request);
  double need = sizeof(float) * static_cast<double>(weights) * static_cast<double>(use);
  double available = free_memory();
  if (need <= available) return;
  throw RunError(
      "out of memory: the model would have {:.0f} million weights, which take {:.1f} GB{}, and "
      "{:.1f} GB are free. {}",
      1e-6 * static_cast<double>(weights), 1e-9 * need,
      use == MemoryUse::kTraining ? " with their gradients and Adam's two moments" : "",
      1e-9 * available, way_out(request, use));
}

}  // namespace bough
