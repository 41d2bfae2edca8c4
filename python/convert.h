// Python's objects as ours, and back.
#pragma once

#include <pybind11/pybind11.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bough/bough.h"

namespace bough::python {

pybind11::str to_str(std::string_view text);
pybind11::list to_list(const std::vector<std::string>& texts);
/// Objects become dicts, lists lists.
pybind11::object to_python(const nlohmann::ordered_json& json);

/// `what` names the argument in the TypeError for what isn't a str.
std::string to_text(pybind11::handle object, std::string_view what);
/// The items of a list, or of anything else that can be gone through, as texts.
std::vector<std::string> to_texts(pybind11::handle objects, std::string_view what);
nlohmann::json to_json(pybind11::handle object);

/// A str, or what names a file by itself (os.PathLike).
std::string to_path(pybind11::handle object);

/// Keyword arguments as options: None isn't there, numbers may be numpy's, and what names a file
/// may be a path.
NamedOptions to_options(const pybind11::dict& keywords);

}  // namespace bough::python
