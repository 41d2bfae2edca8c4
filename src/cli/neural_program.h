// bough-nn, the program of the verbs that compute with tensors. It stands beside bough.
#pragma once

namespace bough::cli {

/// Replaces this process by bough-nn with the same arguments, and sets what has to be set before
/// its libraries are loaded. RunError where it can't be started.
[[noreturn]] void become_neural_program(char** arguments);

}  // namespace bough::cli
