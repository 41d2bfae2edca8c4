// bough's errors as Python's: bough.Error and its kinds, with the same words.
#pragma once

#include <pybind11/pybind11.h>

namespace bough::python {

/// From here on every error of ours that a function lets through is raised as the class of
/// bough/errors.py for its exit code.
void translate_errors();

}  // namespace bough::python
