// Sends a learner's parameters to the actors of its cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "tandem/cluster/cluster_link.h"
#include "tandem/learn/shared_model.h"

namespace tandem {

/// Publishes parameters whenever they have changed, but not more often than so many seconds. The
/// carrier takes each publication to a node once, however many actors play there. Not thread-safe.
class Publisher {
 public:
  /// `model` and `link` must outlive it.
  /// The carrier answers a publication to "actors" at once, and takes the newest to each actor when
  /// the actor has taken the one before; "actor:0" answers when it has it.
  Publisher(const SharedModel& model, ClusterLink& link, std::string to = "actors")
      : model_(model), link_(link), to_(std::move(to)) {}

  /// Publishes until it is stopped; throws Stopped then.
  void run(double seconds, const std::stop_token& stop);

  /// Publishes the present parameters.
  void publish(const std::stop_token& stop);

  /// Publishes these parameters instead, as newer than all before.
  void publish(std::span<const float> parameters);

  /// Lets actors that play in lockstep play until they have played `rounds` rounds for this
  /// learner, and send their states if they have not answered question `states_wanted` yet.
  void order(std::int64_t rounds, std::uint64_t states_wanted);

 private:
  /// Throws Error if one actor was addressed and did not answer.
  void send(std::int64_t rounds, std::uint64_t states_wanted, std::span<const float> parameters,
            const std::stop_token& stop = {});

  const SharedModel& model_;
  ClusterLink& link_;
  const std::string to_;
  std::optional<std::int64_t> version_;  // of the last publication
  bool heard_ = false;                   // whether one actor that was addressed has answered
  std::vector<float> parameters_;
};

}  // namespace tandem
