// How many threads the core uses, and the end of the interpreter.
#include <chrono>
#include <cstddef>
#include <exception>
#include <hankelmatch/base/threads.hpp>
#include <stdexcept>
#include <thread>

#include "bindings.hpp"

namespace hankelmatch::bindings {
namespace {

void stop_calls() {
  CallsInCore::exiting_thread = std::this_thread::get_id();
  CallsInCore::exiting = true;
  const py::gil_scoped_release release;
  while (CallsInCore::n_inside != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void stop_calls_at_exit() {
  CallsInCore::exiting = false;
  py::module_::import("atexit").attr("register")(py::cpp_function(&stop_calls));
  const py::module_ os = py::module_::import("os");
  if (py::hasattr(os, "register_at_fork")) {  // a child has none of its parent's other threads
    const py::cpp_function forget([] { CallsInCore::n_inside = 0; });
    os.attr("register_at_fork")(py::arg("after_in_child") = forget);
  }
}

}  // namespace

void register_threads(py::module_& m) {
  m.def("set_max_threads", &set_max_threads, py::arg("n_threads"));
  m.def("max_threads", &max_threads);
  m.def("is_only_thread", &is_only_thread);
  py::register_local_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const CallsInCore::Exiting&) {
      PyErr_SetNone(PyExc_SystemExit);
    }
  });
  // Where Python had no memory, pybind11 throws errors of its own over the MemoryError that is set.
  py::register_local_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const std::runtime_error&) {
      if (PyErr_Occurred() == nullptr || PyErr_ExceptionMatches(PyExc_MemoryError) == 0) throw;
    }
  });
  stop_calls_at_exit();
}

}  // namespace hankelmatch::bindings
