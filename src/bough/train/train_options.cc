#include "bough/train/train_options.h"

#include <tuple>

#include "bough/base/error.h"

namespace bough {

namespace {

/// What reads the source of a task.
EncoderKind fitting_encoder(Task task, PolicyKind policy) {
  switch (task) {
    case Task::kLm:
      return EncoderKind::kNone;
    case Task::kReorder:
      return EncoderKind::kBag;
    case Task::kTranslate:
      return policy == PolicyKind::kTransformer ? EncoderKind::kTransformer : EncoderKind::kBilstm;
  }
  return EncoderKind::kNone;
}

/// UsageError where what is translated is missing, or given where nothing is translated.
void check_sources(const TrainOptions& options) {
  bool translates = options.task == Task::kTranslate;
  bool has_source = !options.source_train.empty() || !options.source_valid.empty();
  if (!translates && has_source) {
    throw UsageError("--source-train and --source-valid are for --task translate");
  }
  auto is_table = [](const std::string& path) {
    return path.ends_with(".tsv") || path.ends_with(".tsv.gz");
  };
  for (const auto& [target, source, name] :
       {std::tie(options.train, options.source_train, "train"),
        std::tie(options.valid, options.source_valid, "valid")}) {
    if (translates && !target.empty() && source.empty() && !is_table(target)) {
      throw UsageError(
          "--task translate needs the sentences that --{} translates: give --source-{}, or a TSV "
          "file that holds both",
          name, name);
    }
  }
  if (translates && !options.valid.empty() &&
      options.source_train.empty() != options.source_valid.empty()) {
    throw UsageError("give both --source-train and --source-valid, or TSV files without them");
  }
}

}  // namespace

TrainOptions settled(TrainOptions options) {
  PolicyOptions& policy = options.policy;
  Task task = options.task;
  if (options.train.empty()) throw UsageError("--train is missing: training sentences, one a line");
  EncoderKind fitting = fitting_encoder(task, policy.policy);
  if (policy.encoder != EncoderKind::kNone && policy.encoder != fitting) {
    throw UsageError("--encoder {} does not fit --task {} with --policy {}: leave it out",
                     name_of(policy.encoder), name_of(task), name_of(policy.policy));
  }
  policy.encoder = fitting;
  if (task == Task::kReorder && options.bpe_merges > 0) {
    throw UsageError("--bpe-merges does not fit --task reorder: a bag holds whole words");
  }
  if (policy.policy == PolicyKind::kTransformer && !options.initialise.embeddings.empty()) {
    throw UsageError("--embeddings is for --policy lstm: the Transformer scales its word vectors");
  }
  check_sources(options);
  return options;
}

}  // namespace bough
