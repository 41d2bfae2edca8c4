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

}  // namespace

void TrainOptions::settle() {
  if (train.empty()) throw UsageError("--train is missing: training sentences, one a line");
  EncoderKind fitting = fitting_encoder(task, policy.policy);
  if (policy.encoder != EncoderKind::kNone && policy.encoder != fitting) {
    throw UsageError("--encoder {} does not fit --task {} with --policy {}: leave it out",
                     name_of(policy.encoder), name_of(task), name_of(policy.policy));
  }
  policy.encoder = fitting;
  if (task == Task::kReorder && bpe_merges > 0) {
    throw UsageError("--bpe-merges does not fit --task reorder: a bag holds whole words");
  }
  if (policy.policy == PolicyKind::kTransformer && !initialise.embeddings.empty()) {
    throw UsageError("--embeddings is for --policy lstm: the Transformer scales its word vectors");
  }
  bool has_source = !source_train.empty() || !source_valid.empty();
  if (task != Task::kTranslate && has_source) {
    throw UsageError("--source-train and --source-valid are for --task translate");
  }
  auto is_table = [](const std::string& path) {
    return path.ends_with(".tsv") || path.ends_with(".tsv.gz");
  };
  for (const auto& [target, source, name] :
       {std::tie(train, source_train, "train"), std::tie(valid, source_valid, "valid")}) {
    if (task == Task::kTranslate && !target.empty() && source.empty() && !is_table(target)) {
      throw UsageError(
          "--task translate needs the sentences that --{} translates: give --source-{}, or a TSV "
          "file that holds both",
          name, name);
    }
  }
  if (task == Task::kTranslate && !valid.empty() && source_train.empty() != source_valid.empty()) {
    throw UsageError("give both --source-train and --source-valid, or TSV files without them");
  }
}

}  // namespace bough
