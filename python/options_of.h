// Options as data: what stubs and help are made from.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace bough::python {

/// A dict for each option that a verb's function takes: name (as a keyword), kind, help, default,
/// allowed, required. UsageError for a verb that isn't there.
pybind11::list options_of_verb(const std::string& verb);

}  // namespace bough::python
