// The verbs that write sentences; each has a source file of its own.
#pragma once

#include <memory>

namespace bough::ask {

class WritingTask;

std::unique_ptr<WritingTask> make_generate_task();
std::unique_ptr<WritingTask> make_complete_task();
std::unique_ptr<WritingTask> make_reorder_task();
std::unique_ptr<WritingTask> make_translate_task();

}  // namespace bough::ask
