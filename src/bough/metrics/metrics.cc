#include "bough/metrics/metrics.h"

#include "bough/metrics/edit_distance.h"
#include "bough/metrics/overlap.h"

namespace bough {

std::unique_ptr<Metric> make_metric(MetricKind kind, const MetricOptions& options,
                                    const References& references, const MetricTables& tables) {
  switch (kind) {
    case MetricKind::kBleu:
      return make_bleu(options.bleu);
    case MetricKind::kChrf:
      return make_chrf(options.chrf);
    case MetricKind::kChrfPlusPlus: {
      ChrfOptions chrf = options.chrf;
      chrf.word_order = 2;
      return make_chrf(chrf);
    }
    case MetricKind::kTer:
      return make_ter(options.ter);
    case MetricKind::kRibes:
      return make_ribes(options.ribes);
    case MetricKind::kMeteor:
      return make_meteor(options.meteor, tables.synonyms);
    case MetricKind::kYisi0:
      return make_yisi(YisiSimilarity::kLcs, options.yisi, references, nullptr);
    case MetricKind::kYisi1:
      return make_yisi(YisiSimilarity::kVectors, options.yisi, references, tables.vectors);
    case MetricKind::kF1:
      return make_f1(options.bleu.lowercase);
    case MetricKind::kExactMatch:
      return make_exact_match(options.bleu.lowercase);
    case MetricKind::kEdit:
      return make_edit_distance({.lowercase = options.bleu.lowercase});
  }
  return nullptr;
}

}  // namespace bough
