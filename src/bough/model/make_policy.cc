#include "bough/base/error.h"
#include "bough/model/lstm/lstm_policy.h"
#include "bough/model/transformer/transformer_policy.h"

namespace bough {

std::unique_ptr<Policy> make_policy(const PolicyRequest& request) {
  const PolicyOptions& options = request.options;
  if (options.end_head && options.shape == Shape::kArity) {
    throw UsageError("--end-head goes with --shape end: with --shape arity there is no <end>");
  }
  switch (options.policy) {
    case PolicyKind::kLstm:
      if (!fits(options.policy, options.encoder)) {
        throw UsageError("--policy lstm goes with --encoder bilstm, bag or none");
      }
      return std::make_unique<LstmPolicy>(request);
    case PolicyKind::kTransformer:
      if (!fits(options.policy, options.encoder)) {
        throw UsageError("--policy transformer goes with --encoder transformer, bag or none");
      }
      return std::make_unique<TransformerPolicy>(request);
  }
  return nullptr;
}

}  // namespace bough
