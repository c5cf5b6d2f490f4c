// The extension module tandem._core.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "cluster.h"
#include "environments.h"
#include "messages.h"
#include "replay.h"
#include "tandem/base/error.h"
#include "tandem/base/mendable.h"
#include "tandem/env/builtin.h"
#include "tandem/env/plugin.h"
#include "tandem/trainer/config.h"
#include "trained_agent.h"
#include "training.h"

namespace tandem::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

/// The ids of all environments that are found. A plug-in that cannot be loaded is left out: its own
/// error comes when one of its environments is made.
std::vector<std::string> environment_ids() {
  const nb::gil_scoped_release without_gil;
  auto ids = make_builtin_family()->names();
  for (const auto& plugin : plugin_names()) {
    try {
      for (const auto& name : make_family(load_plugin(plugin))->names()) {
        ids.push_back(fmt::format("{}:{}", plugin, name));
      }
    } catch (const std::exception&) {
      continue;
    }
  }
  return ids;
}

/// The names of the config's tables, those of all systems and algorithms included.
std::set<std::string> config_tables() {
  const nb::gil_scoped_release without_gil;
  std::set<std::string> tables;
  for (const auto& system : published()->systems) {
    auto config = load_config(system->info().name, {{"env.id", std::string("cartpole"), "env"}});
    for (const auto& fields : {config.fields(), config.unused_fields()}) {
      for (const auto& field : fields) {
        const auto dot = field.key.find('.');
        if (dot != std::string::npos) tables.insert(field.key.substr(0, dot));
      }
    }
  }
  return tables;
}

void bind_spec(nb::module_& module) {
  nb::class_<EnvSpec>(module, "Spec")
      .def_prop_ro(
          "dtype",
          [](const EnvSpec& spec) { return spec.dtype == DType::u8 ? "uint8" : "float32"; })
      .def_prop_ro("shape", [](const EnvSpec& spec) { return spec.observation_shape(); })
      .def_ro("num_actions", &EnvSpec::num_actions)
      .def_ro("first_action", &EnvSpec::first_action)
      .def_ro("action_low", &EnvSpec::action_low)
      .def_ro("action_high", &EnvSpec::action_high)
      .def_ro("action_names", &EnvSpec::action_names)
      .def_ro("frames_per_step", &EnvSpec::frames_per_step)
      .def_ro("render_fps", &EnvSpec::render_fps)
      .def_ro("agents", &EnvSpec::agents);
}

void bind_environments(nb::module_& module) {
  nb::enum_<Autoreset>(module, "Autoreset")
      .value("NEXT_STEP", Autoreset::next_step)
      .value("SAME_STEP", Autoreset::same_step)
      .value("DISABLED", Autoreset::disabled);
  nb::class_<Environments>(module, "Environments")
      .def(
          "__init__",
          [](Environments* self, const std::string& id, const Options& options, int count,
             int threads, Autoreset autoreset, const nb::handle& /*source*/) {
            new (self) Environments(id, options, count, threads, autoreset);
          },
          // Environments that are made anew read their source again.
          nb::keep_alive<1, 7>(), "id"_a, "options"_a, "count"_a, "threads"_a, "autoreset"_a,
          "source"_a.none())
      .def_prop_ro("spec", &Environments::spec, nb::rv_policy::reference_internal)
      .def("start", &Environments::start, "seeds"_a)
      .def_prop_ro("started", &Environments::started)
      .def("restart", &Environments::restart)
      .def("restart_some", &Environments::restart_some, "ids"_a)
      .def("step_discrete", &Environments::step_discrete, "actions"_a)
      .def("step_continuous", &Environments::step_continuous, "actions"_a)
      .def("send_discrete", &Environments::send_discrete, "actions"_a, "ids"_a)
      .def("send_continuous", &Environments::send_continuous, "actions"_a, "ids"_a)
      .def("receive", &Environments::receive, "at_least"_a)
      .def("final_observation", &Environments::final_observation, "row"_a)
      .def("render", &Environments::render, "id"_a)
      .def("refuse", &Environments::refuse)
      .def("close", &Environments::close)
      .def_prop_ro("blocks", &Environments::blocks);
}

void bind_replay(nb::module_& module) {
  nb::class_<TableState>(module, "TableState")
      .def_ro("transitions", &TableState::transitions)
      .def_ro("inserted", &TableState::inserted)
      .def_ro("sampled", &TableState::sampled)
      .def_ro("stale", &TableState::stale)
      .def_ro("bytes", &TableState::bytes);
  nb::class_<ReplayShape>(module, "ReplayShape")
      .def(
          "__init__",
          [](ReplayShape* self, const std::string& kind, bool bytes, std::size_t item_bytes,
             const std::vector<std::int64_t>& shape, std::int64_t stack, std::size_t action_dims,
             std::int64_t n, double gamma) {
            new (self) ReplayShape{kind, bytes, item_bytes, shape, stack, action_dims, n, gamma};
          },
          "kind"_a, "bytes"_a, "item_bytes"_a, "shape"_a, "stack"_a, "action_dims"_a, "n"_a,
          "gamma"_a);
  nb::class_<ReplayWriter::Step>(module, "VectorStep")
      .def(nb::init<const Given<std::uint8_t, 2>&, const Given<std::uint8_t, 2>&,
                    const Given<double, 1>&, const Given<bool, 1>&, const Given<bool, 1>&,
                    const std::optional<Given<float, 1>>&, const std::optional<Given<float, 1>>&,
                    const std::optional<Given<float, 1>>&>(),
           "observations"_a, "next_observations"_a, "rewards"_a, "terminated"_a, "truncated"_a,
           "action_values"_a.none(), "state_values"_a.none(), "final_values"_a.none());
  nb::class_<Replay>(module, "Replay")
      .def(nb::init<const Options&, const ReplayShape&, std::uint64_t>(), "options"_a, "shape"_a,
           "seed"_a)
      .def("sample", &Replay::sample, "size"_a, "timeout"_a.none())
      .def("update", &Replay::update, "keys"_a, "priorities"_a)
      .def("state", &Replay::state)
      .def("save", &Replay::save, "file"_a)
      .def("load", &Replay::load, "file"_a)
      .def("close", &Replay::close)
      .def_prop_ro("calls", &Replay::calls);
  nb::class_<ReplayWriter>(module, "ReplayWriter")
      .def(
          "__init__",
          [](ReplayWriter* self, const Replay& replay, int rows, Autoreset autoreset) {
            new (self) ReplayWriter(replay.core(), rows, autoreset);
          },
          "replay"_a, "rows"_a, "autoreset"_a)
      .def("add_discrete", &ReplayWriter::add_discrete, "actions"_a, "step"_a, "timeout"_a.none())
      .def("add_continuous", &ReplayWriter::add_continuous, "actions"_a, "step"_a,
           "timeout"_a.none())
      .def("end_episodes", &ReplayWriter::end_episodes)
      .def("flush", &ReplayWriter::flush);
}

void bind_agent(nb::module_& module) {
  nb::class_<TrainedAgent>(module, "TrainedAgent")
      .def(
          "__init__",
          [](TrainedAgent* self, const std::string& run, std::optional<std::int64_t> checkpoint,
             bool best, const std::string& device, const Options& env, const std::string& python) {
            new (self) TrainedAgent({.run = run,
                                     .best = best,
                                     .checkpoint = checkpoint,
                                     .device = device,
                                     .env = env,
                                     .python = python});
          },
          "run"_a, "checkpoint"_a.none(), "best"_a, "device"_a, "env"_a, "python"_a)
      .def_prop_ro("spec", &TrainedAgent::spec, nb::rv_policy::reference_internal)
      .def_prop_ro("env", &TrainedAgent::env)
      .def_prop_ro("env_options", &TrainedAgent::env_options)
      .def_prop_ro("step", &TrainedAgent::step)
      .def_prop_ro("checkpoint", &TrainedAgent::checkpoint)
      .def_prop_ro("state_size", &TrainedAgent::state_size)
      .def_prop_ro("damages", &TrainedAgent::damages)
      .def_prop_ro("description", &TrainedAgent::description)
      .def("refuse", &TrainedAgent::refuse)
      .def_prop_ro("used", &TrainedAgent::used)
      .def("seed", &TrainedAgent::seed, "seed"_a)
      .def("heads", &TrainedAgent::heads, "observations"_a, "state"_a.none())
      .def("act", &TrainedAgent::act, "observations"_a, "state"_a.none(), "greedy"_a)
      .def(
          "evaluate",
          [](TrainedAgent& self, int episodes, int threads, bool greedy, std::uint64_t seed,
             const std::string& start, const std::string& protocol, const std::string& starts) {
            return self.evaluate(episodes, threads,
                                 {.greedy = greedy,
                                  .seed = seed,
                                  .start = start,
                                  .protocol = protocol,
                                  .starts = starts});
          },
          "episodes"_a, "threads"_a, "greedy"_a, "seed"_a, "start"_a, "protocol"_a, "starts"_a)
      .def(
          "record",
          [](TrainedAgent& self, const std::string& path, double seconds, int scale, bool greedy,
             std::uint64_t seed, const std::string& start) {
            return self.record(path, seconds, scale,
                               {.greedy = greedy, .seed = seed, .start = start});
          },
          "path"_a, "seconds"_a, "scale"_a, "greedy"_a, "seed"_a, "start"_a);
}

}  // namespace
}  // namespace tandem::python

NB_MODULE(_core, module) {
  using namespace tandem::python;  // NOLINT(google-build-using-namespace): within this function
  // An interpreter that ends with environments still open is no mistake of its user.
  nanobind::set_leak_warnings(false);
  auto error = nanobind::exception<tandem::Error>(module, "Error", PyExc_RuntimeError);
  error.attr("__module__") = "tandem";
  nanobind::register_exception_translator(
      [](const std::exception_ptr& thrown, void* type) {
        try {
          std::rethrow_exception(thrown);
        } catch (const std::bad_alloc&) {
          throw;  // Python has a MemoryError
        } catch (const std::exception& problem) {
          const auto words = tandem::mendable(problem);
          if (!words) throw;
          PyErr_SetString(static_cast<PyObject*>(type), words->c_str());
        }
      },
      error.ptr());
  auto closed = nanobind::exception<ReplayClosed>(module, "ReplayClosedError", error);
  closed.attr("__module__") = "tandem";
  auto diverged = nanobind::exception<tandem::Diverged>(module, "Diverged", error);
  diverged.attr("__module__") = "tandem";
  module.attr("__version__") = TANDEM_VERSION;
  bind_spec(module);
  bind_environments(module);
  bind_cluster(module);
  bind_cluster_load(module);
  bind_training(module);
  bind_messages(module);
  bind_agent(module);
  bind_replay(module);
  module.def("environment_ids", &environment_ids);
  module.def("config_tables", &config_tables);
}
