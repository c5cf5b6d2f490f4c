// The library's log messages on their way to Python's logging.
#pragma once

#include <nanobind/nanobind.h>

namespace tandem::python {

/// Keeps the library's messages in place of printing them. Adds take_messages() to the module,
/// which returns (level of Python's logging, text) of each since the last call. Threads of the
/// library log while they hold locks, so they must not wait for the GIL.
void bind_messages(nanobind::module_& module);

}  // namespace tandem::python
