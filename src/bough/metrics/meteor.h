// METEOR 1.5 for English, without its paraphrase table.
//
// A hypothesis is aligned to its reference word by word (meteor_aligner.h). Precision is the share
// of its words that are matched, recall that of the reference's; a match counts as much as its
// module's weight, a content word δ and a function word (`the`, `of`, a comma) 1 − δ. Both are put
// together into a mean that leans to recall, F = 1 / ((1 − α) / P + α / R), and reduced by a
// penalty for matches in the wrong order, γ · (chunks / matches)^β:
//
//     score = F · (1 − penalty)
//
// A text is scored by the sums of its sentences' counts. A sentence that agrees with its reference
// completely has no fragments: it counts 0 chunks. Of several references the one with the best
// score counts.
//
// METEOR as published also matches paraphrases, from a table of its own; scores without it are
// lower and not comparable with such ones. The signature says so.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bough/base/options.h"
#include "bough/data/synonyms.h"
#include "bough/metrics/meteor_aligner.h"
#include "bough/metrics/meteor_normalizer.h"
#include "bough/metrics/metric.h"

namespace bough {

/// What METEOR's parameters were tuned for.
enum class MeteorTask { kRanking, kAdequacy, kAnyLanguage };

template <>
struct EnumNames<MeteorTask> {
  static constexpr auto kNames =
      std::to_array<EnumName<MeteorTask>>({{MeteorTask::kRanking, "rank"},
                                           {MeteorTask::kAdequacy, "adq"},
                                           {MeteorTask::kAnyLanguage, "li"}});
};

struct MeteorOptions {
  MeteorTask task = MeteorTask::kRanking;
  MeteorNormalization normalization = MeteorNormalization::kFull;
  std::string modules = "exact,stem,synonym";
  std::string weights = {};  // empty: the task's
  double alpha = -1.0;       // negative: the task's, as for the next three
  double beta = -1.0;
  double gamma = -1.0;
  double delta = -1.0;
  int64_t beam = 40;

  void declare(OptionSet& set) {
    set.choice("meteor-task", task,
               "what the parameters were tuned for: ranking systems, adequacy, any language");
    set.choice("meteor-normalize", normalization,
               "METEOR's tokens, the same without punctuation, lower case only, or none of these");
    set.text("meteor-modules", modules, "LIST",
             "which words match: exact, stem, synonym, or some of these, with commas");
    set.text("meteor-weights", weights, "LIST",
             "the modules' weights, with commas; if empty, the first ones of the task");
    set.number("meteor-alpha", alpha, {-1.0, 1.0},
               "the weight of recall against precision; -1: the task's");
    set.number("meteor-beta", beta, {-1.0, 100.0},
               "the exponent of the fragmentation penalty; -1: the task's");
    set.number("meteor-gamma", gamma, {-1.0, 1.0},
               "the greatest fragmentation penalty; -1: the task's");
    set.number("meteor-delta", delta, {-1.0, 1.0},
               "the weight of content words against function words; -1: the task's");
    set.integer("meteor-beam", beam, {1, 100'000}, "paths that the search for an alignment keeps");
  }
};

/// The modules that the options name, in their order; UsageError where a name is unknown or stands
/// there twice.
std::vector<MeteorModule> meteor_modules(const MeteorOptions& options);

/// `synonyms` may be null where the synonym module isn't asked for. UsageError for modules and
/// weights that don't fit together.
///
/// A row holds chunks, then words, then for each module its matched words; words as four numbers:
/// the hypothesis's content words and function words, and the reference's.
std::unique_ptr<Metric> make_meteor(const MeteorOptions& options,
                                    std::shared_ptr<const SynonymTable> synonyms);

}  // namespace bough
