#include "bough/base/error.h"
#include "bough/model/lstm_policy.h"
#include "bough/model/transformer_policy.h"

namespace bough {

std::unique_ptr<Policy> make_policy(const PolicyRequest& request) {
  const PolicyOptions& options = request.options;
  switch (options.policy) {
    case PolicyKind::kLstm:
      if (options.encoder != EncoderKind::kNone && options.encoder != EncoderKind::kBag) {
        throw UsageError(
            "--policy lstm goes with --encoder bag or none; to translate, take --policy "
            "transformer");
      }
      return std::make_unique<LstmPolicy>(options, request.vocabulary, request.seed,
                                          request.embedding_scale, request.start, request.device);
    case PolicyKind::kTransformer:
      if (options.encoder == EncoderKind::kBilstm) {
        throw UsageError("--policy transformer goes with --encoder transformer, bag or none");
      }
      return std::make_unique<TransformerPolicy>(request);
  }
  return nullptr;
}

}  // namespace bough
