// The extension module tandem._core.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <set>
#include <string>
#include <vector>

#include "environments.h"
#include "messages.h"
#include "tandem/base/error.h"
#include "tandem/env/builtin.h"
#include "tandem/env/plugin.h"
#include "tandem/trainer/config.h"
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
      for (const auto& name : load_plugin(plugin).create()->names()) {
        ids.push_back(fmt::format("{}:{}", plugin, name));
      }
    } catch (const Error&) {
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
      .def_ro("action_low", &EnvSpec::action_low)
      .def_ro("action_high", &EnvSpec::action_high)
      .def_ro("action_names", &EnvSpec::action_names)
      .def_ro("frames_per_step", &EnvSpec::frames_per_step)
      .def_ro("render_fps", &EnvSpec::render_fps);
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
      .def("restart", &Environments::restart)
      .def("restart_some", &Environments::restart_some, "ids"_a)
      .def("step_discrete", &Environments::step_discrete, "actions"_a)
      .def("step_continuous", &Environments::step_continuous, "actions"_a)
      .def("send_discrete", &Environments::send_discrete, "actions"_a, "ids"_a)
      .def("send_continuous", &Environments::send_continuous, "actions"_a, "ids"_a)
      .def("receive", &Environments::receive, "at_least"_a)
      .def("final_observation", &Environments::final_observation, "id"_a)
      .def("render", &Environments::render, "id"_a)
      .def("close", &Environments::close)
      .def_prop_ro("blocks", &Environments::blocks);
}

}  // namespace
}  // namespace tandem::python

NB_MODULE(_core, module) {
  using namespace tandem::python;  // NOLINT(google-build-using-namespace): within this function
  // An interpreter that ends with environments still open is no mistake of its user.
  nanobind::set_leak_warnings(false);
  auto error = nanobind::exception<tandem::Error>(module, "Error", PyExc_RuntimeError);
  error.attr("__module__") = "tandem";
  auto diverged = nanobind::exception<tandem::Diverged>(module, "Diverged", error);
  diverged.attr("__module__") = "tandem";
  module.attr("__version__") = TANDEM_VERSION;
  bind_spec(module);
  bind_environments(module);
  bind_training(module);
  bind_messages(module);
  module.def("environment_ids", &environment_ids);
  module.def("config_tables", &config_tables);
}
