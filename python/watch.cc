#include "watch.h"

namespace py = pybind11;

namespace bough::python {

namespace {

/// Often enough for whoever waits after Ctrl-C, rarely enough to leave the GIL to others.
constexpr std::chrono::milliseconds kEvery(20);

bool in_main_thread() {
  py::module_ threading = py::module_::import("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

}  // namespace

Watch::Watch()
    : hears_signals_(in_main_thread()), next_(std::chrono::steady_clock::now() + kEvery) {}

bool Watch::wants_end() {
  if (raised_) return true;
  if (!hears_signals_) return false;
  auto now = std::chrono::steady_clock::now();
  if (now < next_) return false;
  call([] {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  });
  next_ = std::chrono::steady_clock::now() + kEvery;
  return raised_ != nullptr;
}

}  // namespace bough::python
