// What every binding file needs: arrays that come in and leave without a copy, the GIL, Ctrl-C.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstddef>
#include <hankelmatch/strings/trie.hpp>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "without_gil.hpp"

namespace hankelmatch::bindings {

namespace py = pybind11;

/// A C-contiguous array of exactly this dtype. Arguments of this type are declared with `.noconvert()`.
template <class T>
using Array = py::array_t<T, py::array::c_style>;

template <class T>
std::span<const T> view(const Array<T>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

/// Moves a vector into a numpy array that owns it; no element is copied.
template <class T, class Allocator>
py::array_t<T> to_array(std::vector<T, Allocator>&& values) {
  using Vector = std::vector<T, Allocator>;
  auto owner = std::make_unique<Vector>(std::move(values));
  const T* data = owner->data();
  const auto size = static_cast<py::ssize_t>(owner->size());
  py::capsule base(owner.release(), [](void* p) { delete static_cast<Vector*>(p); });
  return py::array_t<T>(size, data, base);
}

/// A read-only array over memory that `owner` keeps alive.
template <class T, class Allocator>
py::array_t<T> view_of(const std::vector<T, Allocator>& values, py::handle owner) {
  py::array_t<T> array(static_cast<py::ssize_t>(values.size()), values.data(), owner);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

/// Hands a C++ object to Python as an object of its class, whose holder must be a unique_ptr. An empty object
/// is handed over first, and filled then: if memory runs out while pybind11 registers it, pybind11 frees the
/// object without its destructor, and so nothing may be in it.
template <class T>
py::object hand_over(T&& value) {
  py::object object = py::cast(T{}, py::return_value_policy::move);
  object.cast<T&>() = std::move(value);
  return object;
}

/// Tries outlive the Python object that holds them: graphs share them.
template <class Id>
struct SharedTrie {
  std::shared_ptr<const Trie<Id>> trie;
};

void register_threads(py::module_& m);
void register_tries(py::module_& m);
void register_graphs(py::module_& m);
void register_matching(py::module_& m);
void register_text(py::module_& m);
void register_weighted_matching(py::module_& m);
void register_exchanges(py::module_& m);
void register_capacities(py::module_& m);
void register_probabilistic_automaton(py::module_& m);

}  // namespace hankelmatch::bindings
