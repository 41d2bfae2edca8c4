#include "convert.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace py = pybind11;

namespace bough::python {

namespace {

/// The name of an object's type, for messages.
std::string type_of(py::handle object) {
  return py::str(py::type::handle_of(object).attr("__name__")).cast<std::string>();
}

bool is_numpy_flag(py::handle object) {
  return std::string_view(Py_TYPE(object.ptr())->tp_name) == "numpy.bool_";
}

int64_t to_integer(py::handle object) {
  auto index = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
  if (!index) throw py::error_already_set();
  long long value = PyLong_AsLongLong(index.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return value;
}

bool is_path(py::handle object) {
  return py::hasattr(object, "__fspath__");
}

/// An item of a list of options, where numbers are meant by their digits: `seeds=[1, 2]`.
std::string item_text(py::handle item, std::string_view name) {
  if (is_path(item)) return to_path(item);
  if (PyLong_Check(item.ptr()) != 0 && !py::isinstance<py::bool_>(item)) return py::str(item);
  return to_text(item, name);
}

OptionValue to_value(py::handle object, std::string_view name) {
  PyObject* raw = object.ptr();
  if (py::isinstance<py::bool_>(object) || is_numpy_flag(object)) {
    return PyObject_IsTrue(raw) == 1;
  }
  if (PyIndex_Check(raw) != 0) return to_integer(object);
  if (PyUnicode_Check(raw) != 0) return to_text(object, name);
  if (is_path(object)) return to_path(object);
  if (PyList_Check(raw) != 0 || PyTuple_Check(raw) != 0) {
    std::vector<std::string> items;
    for (py::handle item : object) items.push_back(item_text(item, name));
    return items;
  }
  if (PyFloat_Check(raw) != 0 || PyNumber_Check(raw) != 0)
    return py::float_(py::reinterpret_borrow<py::object>(object)).cast<double>();
  throw py::type_error(fmt::format("{} takes a bool, a number, a str or a list of str, not {}",
                                   name, type_of(object)));
}

}  // namespace

py::str to_str(std::string_view text) {
  // Pieces of words may be cut within a character.
  PyObject* decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

py::list to_list(const std::vector<std::string>& texts) {
  py::list list(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) list[i] = to_str(texts[i]);
  return list;
}

py::object to_python(const nlohmann::ordered_json& json) {
  switch (json.type()) {
    case nlohmann::json::value_t::object: {
      py::dict dict;
      for (const auto& [key, value] : json.items()) dict[to_str(key)] = to_python(value);
      return dict;
    }
    case nlohmann::json::value_t::array: {
      py::list list(json.size());
      for (size_t i = 0; i < json.size(); ++i) list[i] = to_python(json[i]);
      return list;
    }
    case nlohmann::json::value_t::string:
      return to_str(json.get_ref<const std::string&>());
    case nlohmann::json::value_t::boolean:
      return py::bool_(json.get<bool>());
    case nlohmann::json::value_t::number_integer:
      return py::int_(json.get<int64_t>());
    case nlohmann::json::value_t::number_unsigned:
      return py::int_(json.get<uint64_t>());
    case nlohmann::json::value_t::number_float:
      return py::float_(json.get<double>());
    default:
      return py::none();
  }
}

std::string to_text(py::handle object, std::string_view what) {
  if (PyUnicode_Check(object.ptr()) == 0) {
    throw py::type_error(fmt::format("{} takes a str, not {}", what, type_of(object)));
  }
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (text == nullptr) throw py::error_already_set();
  return {text, static_cast<size_t>(size)};
}

std::vector<std::string> to_texts(py::handle objects, std::string_view what) {
  if (PyUnicode_Check(objects.ptr()) != 0) {
    throw py::type_error(fmt::format("{} takes a list of str, not a single one", what));
  }
  std::vector<std::string> texts;
  texts.reserve(py::len_hint(objects));
  for (py::handle object : py::iter(objects)) texts.push_back(to_text(object, what));
  return texts;
}

nlohmann::json to_json(py::handle object) {
  py::object text = py::module_::import("json").attr("dumps")(object);
  return nlohmann::json::parse(to_text(text, "JSON"));
}

std::string to_path(py::handle object) {
  auto text = py::reinterpret_steal<py::object>(PyOS_FSPath(object.ptr()));
  if (!text) throw py::error_already_set();
  return to_text(text, "a path");
}

NamedOptions to_options(const py::dict& keywords) {
  NamedOptions options;
  for (const auto& [key, value] : keywords) {
    if (value.is_none()) continue;
    std::string name = to_text(key, "an option's name");
    options.emplace(name, to_value(value, name));
  }
  return options;
}

}  // namespace bough::python
