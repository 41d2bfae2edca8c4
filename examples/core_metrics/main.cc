// Scores a file of hypotheses against one of references, a line each, by metrics of bough's core.
// LibTorch isn't needed.
//
//     core_metrics REFERENCES HYPOTHESES
#include <cstdio>
#include <string>
#include <vector>

#include "bough/base/error.h"
#include "bough/base/text_reader.h"
#include "bough/metrics/metrics.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: core_metrics REFERENCES HYPOTHESES\n");
    return 2;
  }
  try {
    bough::References references({bough::read_lines(argv[1])});
    std::vector<std::string> hypotheses = bough::read_lines(argv[2]);
    if (hypotheses.size() != references.lines()) {
      throw bough::DataError("'{}' has {} lines, but '{}' has {}", argv[2], hypotheses.size(),
                             argv[1], references.lines());
    }
    for (auto kind :
         {bough::MetricKind::kBleu, bough::MetricKind::kChrf, bough::MetricKind::kTer}) {
      auto metric = bough::make_metric(kind, {}, references, {});
      bough::Rows rows = bough::measure_text(*metric, hypotheses, references, 2);
      std::printf("%s = %.2f\n", metric->name().c_str(), metric->score(rows.sum()));
    }
  } catch (const bough::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
