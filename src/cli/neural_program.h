// bough-nn, the program of the verbs that compute with tensors. It stands beside bough.
#pragma once

namespace bough::cli {

/// Whether bough was built with it.
bool has_neural_program();

/// Replaces this process by bough-nn with the same arguments, and sets what has to be set before
/// its libraries are loaded. UsageError where bough was built without it, RunError where it can't
/// be started.
[[noreturn]] void become_neural_program(char** arguments);

}  // namespace bough::cli
