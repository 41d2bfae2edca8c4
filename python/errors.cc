#include "errors.h"

#include <utility>

#include "bough/base/error.h"

namespace py = pybind11;

namespace bough::python {

namespace {

/// The class's name in bough/errors.py.
const char* class_of(ExitCode code) {
  switch (code) {
    case ExitCode::kUsage:
      return "UsageError";
    case ExitCode::kBadData:
      return "DataError";
    case ExitCode::kUnmet:
      return "UnmetError";
    case ExitCode::kInterrupted:
      return "Interrupted";
    case ExitCode::kFine:
    case ExitCode::kFailed:
      break;
  }
  return "RunError";
}

}  // namespace

void translate_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(std::move(thrown));
    } catch (const Error& error) {
      py::object kind = py::module_::import("bough.errors").attr(class_of(error.code()));
      PyErr_SetString(kind.ptr(), error.what());
    }
  });
}

}  // namespace bough::python
