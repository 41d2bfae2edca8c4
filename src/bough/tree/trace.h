// A trace: how one sentence came to be, as a JSON object (one a line, `--format jsonl`).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bough/tree/tree.h"

namespace bough {

/// An action that a policy could have taken.
struct Alternative {
  WordId word = 0;
  double logprob = 0.0;
  std::string text = {};
};

/// What the policy thought of the action it took at a step.
struct StepScore {
  double logprob = 0.0;  // of the action under the policy, before temperature or truncation
  double entropy = 0.0;  // of the policy's distribution, in nats
  std::vector<Alternative> alternatives = {};  // the likeliest actions, where they were asked for
};

struct Trace {
  Tree tree;
  std::vector<std::string> texts;  // the words by node, in level order
  std::vector<StepScore> scores;   // by step
  std::vector<bool> given = {};    // by node: whether it was given, not chosen; or none
  std::string text = {};           // as people read it; empty: words with spaces between them
  bool finished = true;            // false where a bound on length or depth closed a slot
  int64_t vocabulary = 0;          // actions that there were to choose from; 0: not known

  /// The words in sentence order.
  std::vector<std::string> sentence() const;
  /// Sum of the steps' log-probabilities: the tree's own.
  double logprob() const;
};

nlohmann::ordered_json to_json(const Trace& trace);

/// Back from JSON: the tree's words are numbered by node. DataError where it is no trace.
Trace trace_from_json(const nlohmann::json& json);

}  // namespace bough
