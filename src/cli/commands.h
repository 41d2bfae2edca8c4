// The verbs; each has a source file of its own. Those that compute with tensors have a header that
// says what they take (…_verb.h) and a source in neural/.
#pragma once

#include <memory>
#include <vector>

#include "command.h"

namespace bough::cli {

std::unique_ptr<Command> make_eval_command();
std::unique_ptr<Command> make_eval_samples_command();
std::unique_ptr<Command> make_completion_command();
std::unique_ptr<Command> make_bench_start_command();

/// `bough data wordnet`, `bough data ding`, …: the names have two words.
std::vector<std::unique_ptr<Command>> make_data_commands();

/// `bough data learn-bpe`, `bough data apply-bpe`.
std::vector<std::unique_ptr<Command>> make_bpe_commands();

/// `bough tagger train`, `bough tagger eval`, `bough tagger tag`.
std::vector<std::unique_ptr<Command>> make_tagger_commands();

/// All verbs, in the order of the help page. Those that compute with tensors are declared only.
std::vector<std::unique_ptr<Command>> all_commands();

}  // namespace bough::cli
