// A batch of finished walks, packed for the network.
//
// Rows are (step, sentence) pairs, step by step; within a step, sentences by falling number of
// steps. So the sentences that are still being written at step t are the first rows_at[t] of the
// batch, complete ones have left it, and nothing is padded:
//
//     row(t, s) = offset_at[t] + s,   s < rows_at[t]
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bough/oracle/walk.h"
#include "bough/tree/step_input.h"

namespace bough {

/// Where the rows of sentences are that are read step by step, the longest first.
struct PackedSteps {
  std::vector<int64_t> rows_at;    // [steps]
  std::vector<int64_t> offset_at;  // [steps + 1]
  std::vector<int64_t> source;     // [sentences] which one of the batch it was
  std::vector<int64_t> steps_of;   // [sentences] by falling number

  int64_t sentences() const { return static_cast<int64_t>(steps_of.size()); }
  int64_t steps() const { return static_cast<int64_t>(rows_at.size()); }
  int64_t rows() const { return offset_at.back(); }
};

/// `steps` of the batch's sentences, in any order.
PackedSteps pack_steps(std::span<const int64_t> steps);

struct Trajectory : PackedSteps {
  std::vector<SourceIds> given;  // [sentences], or none at all for a language model

  std::vector<StepInput> input;   // [rows]; the action before the first step is `start`
  std::vector<WordId> action;     // [rows]
  std::vector<int64_t> sentence;  // [rows] which sentence s of the batch
  std::vector<int> due;           // [rows] words that belong into the slot; 0: <end> is right
  std::vector<int64_t> taken;     // [rows] which of the right answers was taken; -1: none

  // The right answers of row r: entries valid_begin[r] … valid_begin[r + 1] of the two lists.
  std::vector<int64_t> valid_begin;  // [rows + 1]
  std::vector<WordId> valid_action;
  std::vector<Sides> valid_open;  // their open sides
  std::vector<int> valid_count;   // places of the span that they stand at
  std::vector<float> valid_weight;
};

/// `start` is what the policy reads before the first action.
Trajectory pack(std::span<const Walk> walks, WordId start = kStart);

}  // namespace bough
