// What validation sentences cost a policy: the loss of training, without label smoothing and
// weights of <end>, along trees that are drawn alike at every validation. And how likely they are,
// which another β or oracle doesn't change the meaning of.
#pragma once

#include <functional>

#include "bough/base/shard.h"
#include "bough/generate/likelihood.h"
#include "bough/train/loss_parts.h"
#include "bough/train/rollin.h"

namespace bough {

struct ValidationRequest {
  const Dataset& data;
  const Dataset* sources = nullptr;  // what they are written from, line by line; null: nothing
  BatchOptions batches{};
  double rollin_beta = 1.0;
  double loss_beta = 1.0;
  uint64_t seed = 1;
  Shard part{};  // of the batches; they are dealt out in turn, since the last ones are longest
  /// Called before each batch with how far it is, from 0 to 1; ends it all by throwing.
  std::function<void(double share)> between_batches = [](double) {};
};

LossSum validate(const Policy& policy, const RollInWalker& walker,
                 const ValidationRequest& request);

struct ValidLikelihoodRequest {
  const Dataset& data;
  const Dataset* sources = nullptr;
  Order order = {};
  int64_t samples = 16;
  uint64_t seed = 1;
  Shard part{};
  std::function<void()> between_steps = {};  // ends it all by throwing
};

LikelihoodTotals valid_likelihood(const Policy& policy, const ValidLikelihoodRequest& request);

}  // namespace bough
