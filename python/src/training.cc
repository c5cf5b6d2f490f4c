#include "training.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <thread>
#include <tuple>
#include <utility>

#include "tandem/base/clock.h"
#include "tandem/base/error.h"

namespace tandem::python {
namespace {

namespace nb = nanobind;

/// Calls attempt(seconds), which waits at most so long, until it returns true. Python handles
/// signals in between.
template <class Attempt>
void wait_patiently(Attempt attempt) {
  constexpr double kSlice = 0.05;
  for (;;) {
    {
      const nb::gil_scoped_release without_gil;
      if (attempt(kSlice)) return;
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

void wait_for_end(TrainingThread& thread) {
  constexpr double kLong = 1e6;
  while (!thread.wait_until_ended(kLong)) {
  }
}

/// Hands the library's messages over to Python's logging. Needs the GIL.
void forward_messages() { nb::module_::import_("tandem.messages").attr("forward_messages")(); }

}  // namespace

Training::Training(TrainingOrder order)
    // In a forked process the thread is missing, so that nothing can end it.
    : thread_(new TrainingThread(std::move(order)), [process = getpid()](TrainingThread* thread) {
        if (getpid() == process) delete thread;
      }) {}

void Training::wait_until_built() {
  occupancy_.require_usable();
  const Visit visit(waiting_);
  try {
    wait_patiently([&](double slice) {
      auto facts = thread_->wait_until_built(slice);
      if (facts) {
        facts_ = *std::move(facts);
        return true;
      }
      const nb::gil_scoped_acquire with_gil;
      forward_messages();  // now, because a slow environment may be measured for minutes
      return false;
    });
  } catch (const nb::python_error&) {
    const nb::gil_scoped_release without_gil;
    thread_->control().stop();
    thread_->abandon();
    constexpr double kMoment = 2;
    if (thread_->wait_until_ended(kMoment)) {
      std::ignore = thread_->take_error();  // the handler's exception tells of the end
    } else {
      // The start of an environment may take minutes.
      std::thread([left = thread_] { wait_for_end(*left); }).detach();
      left_ = true;
    }
    throw;
  }
}

Training::~Training() {
  if (occupancy_.forked() || left_) return;
  const nb::gil_scoped_release without_gil;
  thread_->control().stop();
  wait_for_end(*thread_);
  try {
    raise_error();
  } catch (const std::exception& error) {
    spdlog::error("{}", error.what());
  }
}

std::int64_t Training::steps() const {
  occupancy_.require_usable();
  return thread_->control().steps();
}

bool Training::ended() const {
  occupancy_.require_usable();
  return thread_->ended();
}

std::optional<std::string> Training::next(double seconds) {
  const Caller caller(occupancy_);
  const Visit visit(waiting_);
  const Stopwatch watch;
  std::optional<std::string> line;
  bool ended = false;
  wait_patiently([&](double slice) {
    const double left = seconds - watch.seconds();
    const bool last = thread_->ended();  // before the look for a line, so that none is lost
    line = thread_->take_line(std::clamp(left, 0.0, slice));
    ended = last && !line;
    return line || ended || left <= 0;
  });
  if (line) return line;
  if (!ended) return std::string();
  raise_error();
  return std::nullopt;
}

void Training::stop() {
  occupancy_.require_usable();
  thread_->control().stop();
}

std::string Training::save() {
  occupancy_.require_usable();
  const Visit visit(waiting_);
  auto& control = thread_->control();
  std::optional<std::filesystem::path> folder;
  try {
    wait_patiently([&, request = control.ask()](double slice) {
      folder = control.wait_for(request, slice);
      return folder.has_value();
    });
  } catch (const Error&) {
    wait_patiently([&](double slice) { return thread_->wait_until_ended(slice); });
    raise_error();
    throw;
  }
  return folder->string();
}

void Training::close() {
  if (!occupancy_.forked() && !occupancy_.refused()) end();
}

void Training::end_for_good() {
  if (occupancy_.forked()) return;
  occupancy_.refuse();
  thread_->control().stop();
  thread_->abandon();
  end();
}

void Training::end() {
  thread_->control().stop();
  wait_patiently([&](double slice) { return thread_->wait_until_ended(slice); });
  wait_patiently([&](double) {
    constexpr std::chrono::milliseconds kMoment{1};
    std::this_thread::sleep_for(kMoment);  // the threads in calls need the GIL to leave them
    return !waiting_.others();
  });
}

void Training::raise_error() {
  if (occupancy_.forked()) return;
  if (const auto error = thread_->take_error()) std::rethrow_exception(error);
}

void bind_training(nb::module_& module) {
  using Settings = std::vector<std::pair<std::string, std::string>>;
  nb::class_<Training>(module, "Training")
      .def(
          "__init__",
          [](Training* self, const std::string& system, const std::string& base,
             const Settings& settings, const std::string& folder, bool resume,
             const std::string& python, std::shared_ptr<ClusterLink> link) {
            new (self) Training({system, base, settings, folder, resume, python, std::move(link)});
          },
          nb::arg("system"), nb::arg("base"), nb::arg("settings"), nb::arg("folder"),
          nb::arg("resume"), nb::arg("python"), nb::arg("link") = nb::none())
      .def("wait_until_built", &Training::wait_until_built)
      .def_prop_ro("folder", [](const Training& training) { return training.facts().folder; })
      .def_prop_ro("preset", [](const Training& training) { return training.facts().preset; })
      .def_prop_ro("budget", [](const Training& training) { return training.facts().budget; })
      .def_prop_ro("steps", &Training::steps)
      .def_prop_ro("ended", &Training::ended)
      .def("next", &Training::next, nb::arg("seconds"))
      .def("stop", &Training::stop)
      .def("save", &Training::save)
      .def("close", &Training::close)
      .def("end_for_good", &Training::end_for_good)
      .def("raise_error", &Training::raise_error);
}

}  // namespace tandem::python
