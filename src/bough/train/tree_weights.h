// Learning an order from whole sentences: which of the trees that were drawn of a sentence should
// be followed?
//
// A tree drawn by the coaching policy has the weight W = Π Z·c over its steps, where Z is the
// probability of all right answers and c how many places the word taken stands at: its expectation
// is the sentence's probability (generate/likelihood.h), so trees that make the whole sentence
// likely weigh more, not those that begin easily. With the weights of a sentence's trees scaled to
// one, each tree's actions are learned in proportion: the gradient of log of their mean, as far as
// the model goes (how trees are drawn is taken as given).
#pragma once

#include <vector>

#include "bough/oracle/trajectory.h"

namespace bough {

/// What each tree of a trajectory counts for: their mean is one. `right_nats` is −log of the
/// probability of all right answers, summed over a tree's steps; a sentence has `trees` trees, one
/// behind the other in the batch.
std::vector<double> tree_weights(const Trajectory& trajectory,
                                 const std::vector<double>& right_nats, int64_t trees);

}  // namespace bough
