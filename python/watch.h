// Long work in a Python process.
//
// While C++ computes, other Python threads go on: the GIL is released. Two things bring Python
// back: callbacks, and Ctrl-C, which Python notes in a signal handler and acts on in its main
// thread alone, where somebody asks. A Watch asks now and then, keeps what Python raised, and ends
// the work by an error of ours, which the layers below know how to clean up after; `run` then
// raises what was kept.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>

#include "bough/base/error.h"

namespace bough::python {

class Watch {
 public:
  /// With the GIL.
  Watch();

  /// Without the GIL, as often as one likes: whether Python wants the work to end.
  bool wants_end();
  /// Throws Interrupted where it does.
  void check() {
    if (wants_end()) throw Interrupted("interrupted");
  }

  /// Calls back with the GIL; what it raises ends the work. False once Python wants an end.
  template <typename Call>
  void call(const Call& callback) {
    if (raised_) return;
    pybind11::gil_scoped_acquire acquired;
    try {
      callback();
    } catch (...) {
      raised_ = std::current_exception();
    }
  }

  /// Does the work without the GIL. Errors of its own are thrown where Python has raised nothing.
  template <typename Work>
  void run(const Work& work) {
    try {
      pybind11::gil_scoped_release released;
      work();
    } catch (const Error&) {
      if (!raised_) throw;
    }
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  bool hears_signals_;  // only Python's main thread does
  std::chrono::steady_clock::time_point next_;
  std::exception_ptr raised_;
};

}  // namespace bough::python
