#include "bough/metrics/metric.h"

#include "bough/base/parallel.h"

namespace bough {

References::References(std::vector<std::vector<std::string>> files) : files_(std::move(files)) {
  views_.reserve(lines() * per_line());
  for (size_t line = 0; line < lines(); ++line) {
    for (const auto& file : files_) views_.emplace_back(file[line]);
  }
}

std::vector<double> Rows::sum() const {
  std::vector<double> sums(size_);
  for (size_t line = 0; line < lines(); ++line) {
    for (size_t i = 0; i < size_; ++i) sums[i] += of(line)[i];
  }
  return sums;
}

Rows measure_text(const Metric& metric, std::span<const std::string> hypotheses,
                  const References& references, size_t threads, const Shard& shard) {
  auto total = static_cast<int64_t>(hypotheses.size());
  auto first = static_cast<size_t>(shard.begin(total));
  size_t count = static_cast<size_t>(shard.end(total)) - first;
  Rows rows(count, metric.row_size());
  constexpr size_t kBlock = 64;
  parallel_for(count, threads, kBlock, [&](size_t i) {
    metric.measure({hypotheses[first + i], references.of(first + i)}, rows.of(i));
  });
  return rows;
}

}  // namespace bough
