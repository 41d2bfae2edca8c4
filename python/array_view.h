// Memory of C++ objects as numpy arrays: nothing is copied, nobody writes to it, and an array keeps
// the object that it looks at alive.
#pragma once

#include <pybind11/numpy.h>

#include <span>
#include <vector>

namespace bough::python {

/// `count` numbers, `stride` bytes from each other, of `owner`'s memory.
template <typename Number>
pybind11::array array_view(const Number* first, size_t count, size_t stride,
                           pybind11::handle owner) {
  auto size = static_cast<pybind11::ssize_t>(count);
  pybind11::array array(pybind11::dtype::of<Number>(), {size},
                        {static_cast<pybind11::ssize_t>(stride)}, first, owner);
  pybind11::detail::array_proxy(array.ptr())->flags &=
      ~pybind11::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

template <typename Number>
pybind11::array array_view(const std::vector<Number>& numbers, pybind11::handle owner) {
  return array_view(numbers.data(), numbers.size(), sizeof(Number), owner);
}

/// One field of each item.
template <typename Item, typename Number>
pybind11::array array_view(std::span<const Item> items, Number Item::*field,
                           pybind11::handle owner) {
  const Number* first = items.empty() ? nullptr : &(items.front().*field);
  return array_view(first, items.size(), sizeof(Item), owner);
}

/// Numbers that nobody else has.
template <typename Number>
pybind11::array array_of(std::vector<Number>&& numbers) {
  auto* kept = new std::vector<Number>(std::move(numbers));
  pybind11::capsule owner(kept,
                          [](void* memory) { delete static_cast<std::vector<Number>*>(memory); });
  return array_view(*kept, owner);
}

}  // namespace bough::python
