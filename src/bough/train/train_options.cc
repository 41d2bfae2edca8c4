#include "bough/train/train_options.h"

#include <tuple>

#include "bough/base/error.h"
#include "bough/model/orders.h"

namespace bough {

namespace {

/// The encoder asked for, or the task's usual one. UsageError for one that doesn't fit.
EncoderKind settled_encoder(const PolicyOptions& policy, const TaskTraits& task) {
  if (policy.encoder == EncoderKind::kNone) return task.usual_encoder(policy.policy);
  if (task.allows(policy.encoder, policy.policy)) return policy.encoder;
  throw UsageError("--encoder {} does not fit --task {} with --policy {}: leave it out",
                   name_of(policy.encoder), name_of(task.task), name_of(policy.policy));
}

/// UsageError where a file of sources is missing, or given where none is needed.
void check_sources(const TrainOptions& options) {
  bool needed = traits_of(options.task).needs_source_file();
  bool has_source = !options.source_train.empty() || !options.source_valid.empty();
  if (!needed && has_source) {
    throw UsageError("--source-train and --source-valid are for --task {}",
                     tasks_where([](const TaskTraits& task) { return task.needs_source_file(); }));
  }
  auto is_table = [](const std::string& path) {
    return path.ends_with(".tsv") || path.ends_with(".tsv.gz");
  };
  for (const auto& [target, source, name] :
       {std::tie(options.train, options.source_train, "train"),
        std::tie(options.valid, options.source_valid, "valid")}) {
    if (needed && !target.empty() && source.empty() && !is_table(target)) {
      throw UsageError(
          "--task {} needs the sentences that --{} translates: give --source-{}, or a TSV "
          "file that holds both",
          name_of(options.task), name, name);
    }
  }
  if (needed && !options.valid.empty() &&
      options.source_train.empty() != options.source_valid.empty()) {
    throw UsageError("give both --source-train and --source-valid, or TSV files without them");
  }
}

/// The first of several orders is the model's usual one.
void settle_orders(OracleOptions& oracle) {
  if (oracle.orders.empty()) return;
  std::vector<OracleKind> sorted = oracle.orders;
  std::ranges::sort(sorted);
  bool twice = std::ranges::adjacent_find(sorted) != sorted.end();
  if (twice || sorted.size() < 2 || sorted.size() > kOrderStarts.size()) {
    throw UsageError("--orders takes two or three different ones");
  }
  oracle.oracle = oracle.orders.front();
}

void settle_rollin(OracleOptions& oracle, TaskKind task) {
  if (oracle.rollin_beta_rate != OracleOptions::kAsTask) return;
  oracle.rollin_beta_rate = task == TaskKind::kLm ? 0.0 : OracleOptions::kAsLoss;
}

}  // namespace

TrainOptions settled(TrainOptions options) {
  PolicyOptions& policy = options.policy;
  const TaskTraits& task = traits_of(options.task);
  if (options.train.empty()) throw UsageError("--train is missing: training sentences, one a line");
  policy.encoder = settled_encoder(policy, task);
  if (task.source == SourceKind::kOwnWords && options.bpe_merges > 0) {
    throw UsageError("--bpe-merges does not fit --task {}: a bag holds whole words",
                     name_of(options.task));
  }
  if (policy.policy == PolicyKind::kTransformer && !options.initialise.embeddings.empty()) {
    throw UsageError("--embeddings is for --policy lstm: the Transformer scales its word vectors");
  }
  if (options.adam.cool_down > 0 && options.updates == 0) {
    throw UsageError("--cool-down needs --updates: it has to know where the run ends");
  }
  settle_orders(options.oracle);
  settle_rollin(options.oracle, options.task);
  if (options.oracle.whole_words && options.bpe_merges == 0) {
    throw UsageError("--whole-words needs words that are cut into pieces, by --bpe-merges");
  }
  check_sources(options);
  return options;
}

}  // namespace bough
