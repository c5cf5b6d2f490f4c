// Parts of a cluster that load its replay, for benchmarks.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "cluster.h"
#include "tandem/cluster/apex/drawing_learner.h"
#include "tandem/cluster/apex/recorded_player.h"
#include "tandem/cluster/roles.h"

namespace tandem::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

/// An actor that sends recorded play.
class RecordedActor final : public ActorRole {
 public:
  RecordedActor(const RoleOrder& order, const std::shared_ptr<Pace>& pace)
      : ActorRole(order, {},
                  [pace](const System& system, const ActorContext& context, const RoleOrder& of) {
                    return recorded_plan(system, context, of, pace);
                  }),
        pace_(pace) {}

  void set_rate(double per_second) { pace_->set(per_second); }

 private:
  const std::shared_ptr<Pace> pace_;
};

}  // namespace

void bind_cluster_load(nb::module_& module) {
  nb::class_<RecordedActor, ActorRole>(module, "RecordedActor")
      .def(
          "__init__",
          [](RecordedActor* self, const std::string& config, const std::string& python,
             std::uint64_t run, std::uint32_t epoch, std::uint64_t incarnation, int rank,
             int shards, double rate) {
            const nb::gil_scoped_release without_gil;
            new (self)
                RecordedActor(order_of(config, python, run, epoch, incarnation, rank, shards),
                              std::make_shared<Pace>(rate));
          },
          "config"_a, "python"_a, "run"_a, "epoch"_a, "incarnation"_a, "rank"_a, "shards"_a,
          "rate"_a)
      .def("set_rate", &RecordedActor::set_rate, "per_second"_a);
  nb::class_<DrawingLearner>(module, "DrawingLearner")
      .def(
          "__init__",
          [](DrawingLearner* self, ClusterLink& link, const std::string& config,
             const std::string& python, double rate) {
            const nb::gil_scoped_release without_gil;
            new (self) DrawingLearner(config_of({.config = config, .python = python}), link, rate);
          },
          "link"_a, "config"_a, "python"_a, "rate"_a, nb::keep_alive<1, 2>())
      .def("set_rate", &DrawingLearner::set_rate, "per_second"_a)
      .def("status", [](const DrawingLearner& learner) { return learner.status().dump(); })
      .def("raise_error", &DrawingLearner::raise_error, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace tandem::python
