// What every binding file needs: arrays that come in and leave without a copy, the GIL, Ctrl-C.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstddef>
#include <hankelmatch/strings/trie.hpp>
#include <memory>
#include <new>
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

/// A copy.
template <class T>
std::vector<T> to_vector(const Array<T>& array) {
  return {array.data(), array.data() + array.size()};
}

/// Moves a vector into a numpy array that owns it; no element is copied.
template <class T, class Allocator>
py::array_t<T> to_array(std::vector<T, Allocator>&& values) {
  using Vector = std::vector<T, Allocator>;
  auto owner = std::make_unique<Vector>(std::move(values));
  const T* data = owner->data();
  const auto size = static_cast<py::ssize_t>(owner->size());
  py::capsule base(owner.get(), [](void* p) { delete static_cast<Vector*>(p); });
  owner.release();  // only now: the capsule may have failed
  return py::array_t<T>(size, data, base);
}

/// A read-only array over memory that `owner` keeps alive.
template <class T, class Allocator>
py::array_t<T> view_of(const std::vector<T, Allocator>& values, py::handle owner) {
  py::array_t<T> array(static_cast<py::ssize_t>(values.size()), values.data(), owner);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

/// A number for Python. pybind11's own conversion makes a TypeError of the MemoryError where there is no
/// memory.
inline py::object to_int(std::size_t number) {
  PyObject* const made = PyLong_FromSize_t(number);
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(made);
}

/// A class whose new objects raise MemoryError where there is no memory; pybind11 does not look, and writes
/// to address 0, or lets an exception of C++ into Python's own code.
template <class T>
py::class_<T> make_class(py::handle scope, const char* name) {
  return py::class_<T>(scope, name, py::custom_type_setup([](PyHeapTypeObject* made) {
                         made->ht_type.tp_alloc = [](PyTypeObject* type, Py_ssize_t n) {
                           PyObject* const object = PyType_GenericAlloc(type, n);
                           if (object == nullptr) throw py::error_already_set();
                           return object;
                         };
                         made->ht_type.tp_new = [](PyTypeObject* type, PyObject*, PyObject*) -> PyObject* {
                           try {
                             return py::detail::make_new_instance(type);
                           } catch (py::error_already_set& error) {
                             error.restore();
                           } catch (const std::bad_alloc&) {
                             PyErr_NoMemory();
                           }
                           return nullptr;
                         };
                       }));
}

/// Adds a constructor to a class. Like `py::init`, but it registers the object itself: pybind11 would do so
/// after the call, where what it throws for lack of memory ends the process.
template <class T, class... Arguments, class... Extra>
void def_constructor(py::class_<T>& cls, const Extra&... extra) {
  cls.def(
      "__init__",
      [](py::detail::value_and_holder& place, Arguments... arguments) {
        auto made = std::make_unique<T>(std::forward<Arguments>(arguments)...);
        place.value_ptr() = made.get();
        try {
          place.type->init_instance(place.inst, nullptr);
        } catch (...) {
          place.value_ptr() = nullptr;
          throw;
        }
        static_cast<void>(made.release());  // Python's object owns it
      },
      py::detail::is_new_style_constructor(), extra...);
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
