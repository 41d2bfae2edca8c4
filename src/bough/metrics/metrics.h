// All metrics by name.
#pragma once

#include <memory>

#include "bough/base/options.h"
#include "bough/data/synonyms.h"
#include "bough/data/word_vectors.h"
#include "bough/metrics/bleu.h"
#include "bough/metrics/chrf.h"
#include "bough/metrics/meteor.h"
#include "bough/metrics/metric.h"
#include "bough/metrics/ribes.h"
#include "bough/metrics/ter.h"
#include "bough/metrics/yisi.h"

namespace bough {

enum class MetricKind {
  kBleu,
  kChrf,
  kChrfPlusPlus,
  kTer,
  kRibes,
  kMeteor,
  kYisi0,
  kYisi1,
  kF1,
  kExactMatch,
  kEdit
};

template <>
struct EnumNames<MetricKind> {
  static constexpr auto kNames =
      std::to_array<EnumName<MetricKind>>({{MetricKind::kBleu, "bleu"},
                                           {MetricKind::kChrf, "chrf"},
                                           {MetricKind::kChrfPlusPlus, "chrf++"},
                                           {MetricKind::kTer, "ter"},
                                           {MetricKind::kRibes, "ribes"},
                                           {MetricKind::kMeteor, "meteor"},
                                           {MetricKind::kYisi0, "yisi0"},
                                           {MetricKind::kYisi1, "yisi1"},
                                           {MetricKind::kF1, "f1"},
                                           {MetricKind::kExactMatch, "em"},
                                           {MetricKind::kEdit, "edit"}});
};

struct MetricOptions {
  BleuOptions bleu;
  ChrfOptions chrf;
  TerOptions ter;
  RibesOptions ribes;
  MeteorOptions meteor;
  YisiOptions yisi;

  void declare(OptionSet& set) {
    set.group("BLEU");
    bleu.declare(set);
    set.group("chrF");
    chrf.declare(set);
    set.group("TER");
    ter.declare(set);
    set.group("RIBES");
    ribes.declare(set);
    set.group("METEOR");
    meteor.declare(set);
    set.group("YiSi");
    yisi.declare(set);
  }
};

/// What some metrics look words up in; null where no metric asked for needs it.
struct MetricTables {
  std::shared_ptr<const SynonymTable> synonyms;  // METEOR with the synonym module
  std::shared_ptr<const WordVectors> vectors;    // YiSi-1
};

std::unique_ptr<Metric> make_metric(MetricKind kind, const MetricOptions& options,
                                    const References& references, const MetricTables& tables);

}  // namespace bough
