// Calls of the core without the GIL: Ctrl-C stops them, and so does an interpreter that is about to exit.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <cstddef>
#include <hankelmatch/base/interrupt.hpp>
#include <optional>
#include <thread>

namespace hankelmatch::bindings {

namespace py = pybind11;

/// The calls that are in the core. A thread that takes the GIL back once the interpreter has ended is ended
/// by it, through frames of C++ that cannot be left so: the process aborts. So the interpreter's exit stops
/// daemon threads' calls first, and those that come later keep the GIL.
struct CallsInCore {
  static inline std::atomic<std::size_t> n_inside = 0;
  static inline std::atomic<bool> exiting = false;
  static inline std::thread::id exiting_thread;

  struct Exiting {};  ///< becomes SystemExit, which ends a thread silently

  CallsInCore() { ++n_inside; }
  CallsInCore(const CallsInCore&) = delete;
  CallsInCore& operator=(const CallsInCore&) = delete;
  ~CallsInCore() { --n_inside; }
};

/// Whether Python knows of no thread but this one, so that nothing else can run Python code during a call.
/// Asked with the GIL.
inline bool is_only_thread() {
  PyThreadState* const first = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
  return first == nullptr || PyThreadState_Next(first) == nullptr;
}

/// Returns compute(interrupt), called without the GIL, so it must be pure C++ over memory that the arguments
/// keep alive. Ctrl-C stops it: the interrupt takes the GIL back for a moment to ask Python for signals.
template <class Compute>
auto without_gil(const Compute& compute) {
  Interrupt interrupt([] {
    if (CallsInCore::exiting && std::this_thread::get_id() != CallsInCore::exiting_thread)
      throw CallsInCore::Exiting{};
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  });
  const CallsInCore inside;  // until the GIL is back
  std::optional<py::gil_scoped_release> release;
  if (!CallsInCore::exiting) release.emplace();
  return compute(interrupt);
}

}  // namespace hankelmatch::bindings
