// The verbs; each has a source file of its own.
#pragma once

#include <memory>
#include <vector>

#include "command.h"

namespace bough::cli {

std::unique_ptr<Command> make_train_command();
std::unique_ptr<Command> make_generate_command();
std::unique_ptr<Command> make_complete_command();
std::unique_ptr<Command> make_reorder_command();
std::unique_ptr<Command> make_translate_command();
std::unique_ptr<Command> make_tune_command();
std::unique_ptr<Command> make_eval_command();
std::unique_ptr<Command> make_eval_samples_command();
std::unique_ptr<Command> make_eval_completion_command();
std::unique_ptr<Command> make_analyze_command();
std::unique_ptr<Command> make_info_command();

/// `bough data wordnet`, `bough data ding`, …: the names have two words.
std::vector<std::unique_ptr<Command>> make_data_commands();

/// `bough bench train`, `bough bench generate`, `bough bench eval`.
std::vector<std::unique_ptr<Command>> make_bench_commands();

/// `bough tagger train`, `bough tagger eval`, `bough tagger tag`.
std::vector<std::unique_ptr<Command>> make_tagger_commands();

/// All of them, in the order of the help page.
std::vector<std::unique_ptr<Command>> all_commands();

}  // namespace bough::cli
