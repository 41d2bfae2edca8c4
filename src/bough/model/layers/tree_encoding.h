// The paper's tree position encoding (appendix A.3, after Shiv and Quirk): where in the tree a word
// stands, as a vector that is added to the word's own.
//
// The path from the root becomes two numbers a step, [1, 0] to the left and [0, 1] to the right,
// the root's step first; shorter paths are filled up with zeros, of longer ones the deepest steps
// are kept. Step d (from 0) counts p^d for a learned p, and a learned matrix takes the path to the
// model's width. A row of that matrix belongs to one direction at one step, so
//
//     encoding = Σ_d p^d · steps[2 d + right_d]
//
// The word read at a step is the action before, and stands in the slot that was filled before; the
// start symbol stands nowhere, and is told by zeros as the root is.
#pragma once

#include <span>
#include <vector>

#include "bough/model/layers/row_layout.h"
#include "bough/model/torch.h"
#include "bough/tree/step_input.h"

namespace bough {

/// Where a slot is; by itself the root.
struct TreeAddress {
  int depth = 0;
  uint64_t path = 0;  // as in StepInput

  static TreeAddress of(const StepInput& input) { return {input.depth, input.path}; }
};

/// Where the word stands that each row reads: `inputs` describe the slots that are filled next.
std::vector<TreeAddress> addresses_read(std::span<const StepInput> inputs, const RowLayout& layout);

struct TreeEncoding {
  /// [addresses, width] with gradients.
  torch::Tensor encode(std::span<const TreeAddress> addresses) const;

  /// The same for steppers: adds one address's encoding to a row of numbers.
  void add_to(const TreeAddress& address, float* row) const;

  torch::Tensor ratio;  // [] p
  torch::Tensor steps;  // [2 · largest depth, width]
};

}  // namespace bough
