// Whether a model fits into the memory, told before any of it is allocated.
//
// On LibTorch's meta device a policy has all its weights' shapes and none of their numbers. So what
// it would take is counted on the policy itself, whatever it is made of.
#pragma once

#include <cstdint>

namespace bough {

struct PolicyRequest;

/// What is kept beside each other: the weights, or what training needs of that size (weights,
/// gradients and Adam's two moments).
enum class MemoryUse { kWeights = 1, kTraining = 4 };

/// How many numbers a policy would learn.
int64_t count_weights(PolicyRequest request);

/// RunError that says how much it would take, how much there is and what to make smaller. It is the
/// least that is needed: what is computed with the weights comes on top.
void check_memory(const PolicyRequest& request, MemoryUse use);

/// Bytes that a process can still get; infinite where the system doesn't tell.
double free_memory();

}  // namespace bough
