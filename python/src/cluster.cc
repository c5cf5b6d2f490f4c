#include "cluster.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "interruptible.h"
#include "tandem/base/error.h"
#include "tandem/cluster/cluster_link.h"
#include "tandem/cluster/cluster_way.h"
#include "tandem/cluster/roles.h"
#include "tandem/trainer/catalogue.h"
#include "training_thread.h"

namespace tandem::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

/// A message as NumPy's bytes, which Ray carries without a copy.
using MessageBytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const std::byte> span_of(const MessageBytes& message) {
  return std::as_bytes(std::span(message.data(), message.size()));
}

/// Hands bytes over to NumPy without a copy. Needs the GIL.
nb::object array_of(std::vector<std::byte> bytes) {
  auto memory = std::make_unique<std::vector<std::byte>>(std::move(bytes));
  auto* const data = memory.get();
  nb::capsule owner(
      data, [](void* vector) noexcept { delete static_cast<std::vector<std::byte>*>(vector); });
  static_cast<void>(memory.release());
  const std::size_t shape[] = {data->size()};
  return nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(data->data(), 1, shape, owner));
}

/// Lets a part answer a message, without the GIL.
template <class Part>
nb::object deliver(Part& part, const MessageBytes& message) {
  std::vector<std::byte> answer;
  {
    const nb::gil_scoped_release without_gil;
    answer = part.deliver(span_of(message));
  }
  return array_of(std::move(answer));
}

/// Takes the next message out of a mailbox: to whom, the bytes, the ticket. None if there is none.
nb::object take(Mailbox& mailbox, double seconds) {
  std::optional<Outgoing> outgoing;
  {
    const nb::gil_scoped_release without_gil;
    outgoing = mailbox.take(seconds);
  }
  if (!outgoing) return nb::none();
  return nb::make_tuple(outgoing->to, array_of(std::move(outgoing->message)), outgoing->ticket);
}

void answer(Mailbox& mailbox, std::int64_t ticket, const std::optional<MessageBytes>& message) {
  const nb::gil_scoped_release without_gil;
  mailbox.answer(ticket, message ? std::optional(span_of(*message)) : std::nullopt);
}

std::vector<std::byte> bytes_of(const nb::bytes& bytes) {
  const auto span = std::as_bytes(std::span(bytes.c_str(), bytes.size()));
  return {span.begin(), span.end()};
}

void bind_link(nb::module_& module) {
  nb::class_<ClusterLink>(module, "ClusterLink")
      .def(
          "__init__",
          [](ClusterLink* self, std::uint64_t run, std::uint32_t epoch, int shards) {
            new (self) ClusterLink(
                {.run = run, .epoch = epoch, .part = kLearnerPart, .incarnation = epoch}, shards);
          },
          "run"_a, "epoch"_a, "shards"_a)
      .def("deliver", &deliver<ClusterLink>, "message"_a)
      .def(
          "take", [](ClusterLink& link, double seconds) { return take(link.mailbox(), seconds); },
          "seconds"_a)
      .def(
          "answer",
          [](ClusterLink& link, std::int64_t ticket, const std::optional<MessageBytes>& message) {
            answer(link.mailbox(), ticket, message);
          },
          "ticket"_a, "message"_a.none())
      .def("status", [](const ClusterLink& link) { return link.status().dump(); });
}

void bind_shard(nb::module_& module) {
  nb::class_<Shard>(module, "ClusterShard")
      .def("deliver", &deliver<Shard>, "message"_a)
      .def("status", [](const Shard& shard) { return shard.status().dump(); });
  module.def(
      "make_cluster_shard",
      [](const std::string& config, const std::string& python, std::uint64_t run,
         std::uint32_t epoch, std::uint64_t incarnation, int rank, int shards) {
        const nb::gil_scoped_release without_gil;
        return make_shard(order_of(config, python, run, epoch, incarnation, rank, shards));
      },
      "config"_a, "python"_a, "run"_a, "epoch"_a, "incarnation"_a, "rank"_a, "shards"_a);
}

void bind_actor(nb::module_& module) {
  nb::class_<ActorRole>(module, "ClusterActor")
      .def(
          "__init__",
          [](ActorRole* self, const std::string& config, const std::string& python,
             std::uint64_t run, std::uint32_t epoch, std::uint64_t incarnation, int rank,
             int shards, const nb::bytes& state) {
            auto saved = bytes_of(state);
            const nb::gil_scoped_release without_gil;
            new (self) ActorRole(order_of(config, python, run, epoch, incarnation, rank, shards),
                                 std::move(saved));
          },
          "config"_a, "python"_a, "run"_a, "epoch"_a, "incarnation"_a, "rank"_a, "shards"_a,
          "state"_a)
      .def(
          "deliver",
          [](ActorRole& role, const MessageBytes& message) {
            return deliver(role.actor(), message);
          },
          "message"_a)
      .def(
          "take",
          [](ActorRole& role, double seconds) { return take(role.actor().mailbox(), seconds); },
          "seconds"_a)
      .def(
          "answer",
          [](ActorRole& role, std::int64_t ticket, const std::optional<MessageBytes>& message) {
            answer(role.actor().mailbox(), ticket, message);
          },
          "ticket"_a, "message"_a.none())
      .def("status", [](ActorRole& role) { return role.actor().status().dump(); })
      .def("ended", [](ActorRole& role) { return role.actor().ended(); })
      .def("raise_error", [](ActorRole& role) { role.actor().raise_error(); });
}

}  // namespace

RoleOrder order_of(const std::string& config, const std::string& python, std::uint64_t run,
                   std::uint32_t epoch, std::uint64_t incarnation, int rank, int shards) {
  return {.config = config,
          .python = python,
          .run = run,
          .epoch = epoch,
          .incarnation = incarnation,
          .rank = rank,
          .shards = shards};
}

void bind_cluster(nb::module_& module) {
  bind_link(module);
  bind_shard(module);
  bind_actor(module);
  using Settings = std::vector<std::pair<std::string, std::string>>;
  module.def(
      "cluster_facts",
      [](const std::string& system, const std::string& base, const Settings& settings,
         const std::string& folder, bool resume, const std::string& python) {
        const auto facts = std::make_shared<ClusterFacts>();
        run_or_leave([=] {
          *facts = cluster_facts({system, base, settings, folder, resume, python});
        });
        return nb::make_tuple(facts->system, facts->folder, facts->actors, facts->has_shards);
      },
      "system"_a, "base"_a, "settings"_a, "folder"_a, "resume"_a, "python"_a);
  module.def(
      "cluster_actors_key",
      [](const std::string& system) {
        return cluster_way_of(published()->system(system)).actors_key();
      },
      "system"_a);
  module.def(
      "saved_actors",
      [](const std::string& run) {
        const auto states = std::make_shared<std::map<int, std::vector<std::byte>>>();
        run_or_leave([=] { *states = saved_actors(run); });
        nb::dict all;
        for (const auto& [rank, bytes] : *states) {
          all[nb::cast(rank)] =
              nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        }
        return all;
      },
      "run"_a);
}

}  // namespace tandem::python
