// The verbs that compute with tensors; each has a source file of its own here, and a header in the
// folder above that says what it takes.
#pragma once

#include <memory>
#include <vector>

#include "command.h"

namespace bough::cli {

std::unique_ptr<Command> make_train_command();
std::unique_ptr<Command> make_score_command();
std::unique_ptr<Command> make_tune_command();
std::unique_ptr<Command> make_shortlist_command();
std::unique_ptr<Command> make_export_command();
std::unique_ptr<Command> make_import_command();
std::unique_ptr<Command> make_eval_completion_command();
std::unique_ptr<Command> make_analyze_models_command();
std::unique_ptr<Command> make_info_command();
std::unique_ptr<Command> make_serve_command();

/// generate, complete, reorder and translate.
std::vector<std::unique_ptr<Command>> make_writing_commands();

/// `bough bench train`, `bough bench generate`, …
std::vector<std::unique_ptr<Command>> make_bench_commands();

}  // namespace bough::cli
