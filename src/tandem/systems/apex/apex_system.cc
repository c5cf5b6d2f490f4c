#include "tandem/systems/apex/apex_system.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "tandem/base/error.h"
#include "tandem/systems/apex/apex_costs.h"
#include "tandem/systems/apex/apex_parts.h"

namespace tandem {

const SystemInfo& ApexSystem::info() const {
  static const SystemInfo system_info{
      .name = "apex",
      .idea =
          "actors, each exploring in its own way, fill a prioritized replay from which one "
          "learner learns",
      .paper =
          "Horgan et al.: Distributed prioritized experience replay, ICLR 2018, arXiv:1803.00933",
      .repeats = "with apex.lockstep and apex.keep_replay",
  };
  return system_info;
}

std::unique_ptr<System> ApexSystem::clone() const { return std::make_unique<ApexSystem>(*this); }

FieldList ApexSystem::fields() {
  FieldList all = prefixed("apex.", config.fields());
  std::ranges::move(prefixed("replay.", replay.fields()), std::back_inserter(all));
  return all;
}

void ApexSystem::check() const {
  replay.check();
  if (!config.lockstep || replay.samples_per_insert > 0) return;
  throw Error(
      "apex.lockstep needs replay.samples_per_insert, which says how many updates are due after "
      "each step; 0 leaves that to the speed of the threads");
}

void ApexSystem::check_resume(const Checkpoint& checkpoint) const {
  if (!checkpoint.pieces.contains(std::string(kReplayPieces) + "_1")) return;
  throw Error(
      "the run's replay is divided among the shards of a cluster: resume it there, with `tandem "
      "cluster train --resume`");
}

Requirements ApexSystem::requirements() const {
  return {.learns_from = LearnsFrom::replay,
          .value_methods = true,
          .passes = false,
          .recurrent = false};
}

// Without its replay a resumed run learns from other batches.
bool ApexSystem::repeatable() const { return config.lockstep && config.keep_replay; }

std::int64_t ApexSystem::envs() const { return config.actors * config.envs; }

Batching ApexSystem::batching() const {
  // An update learns from a batch of the replay, not from a rollout.
  return {.envs = static_cast<int>(config.envs), .steps = 1, .replayed = config.batch};
}

ThreadPattern ApexSystem::thread_pattern(int threads) const {
  const auto actors = static_cast<double>(config.actors);
  if (config.lockstep) {
    const double playing = std::min(actors, static_cast<double>(threads));
    const double steps = actors * static_cast<double>(config.envs) / playing;
    return {.stepping = playing, .meeting_steps = steps, .computing = playing};
  }
  return {.stepping = actors, .meeting_steps = 0, .computing = actors};
}

std::optional<double> ApexSystem::lag_updates() const { return std::nullopt; }

std::string ApexSystem::threads_key() const { return "apex.actors"; }

// The rate depends on the replay, too, and no short measurement fills it.
std::vector<std::vector<std::string>> ApexSystem::variants(int /*cores*/) const { return {}; }

std::vector<std::vector<std::string>> ApexSystem::sleeping_variants(std::int64_t /*envs*/) const {
  return {};
}

void ApexSystem::set_update(const UpdateShape& shape) { config.batch = shape.samples; }

void ApexSystem::prepare_to_measure() {
  // A measurement is never resumed, and a few seconds are too short to fill a replay.
  replay.min_fill = std::min(replay.min_fill, config.batch);
  // Actors may be that far ahead of the learner: for all of a short measurement, if they may.
  replay.slack = std::min(replay.slack, static_cast<double>(config.batch));
  config.keep_replay = false;
}

MeasuredCosts ApexSystem::measure_costs(const TrainingContext& context,
                                        const nlohmann::ordered_json& means, int cores,
                                        double seconds) const {
  // The measured ratio counts if the config sets no ratio of samples to inserts.
  const double per_insert = replay.samples_per_insert > 0
                                ? replay.samples_per_insert
                                : means.value("replay/samples_per_insert", 0.0);
  const double per_step = per_insert * static_cast<double>(config.copies);
  MeasuredCosts measured{.costs =
                             measure_apex_costs(config, replay, context, per_step, cores, seconds)};
  measured.own["apex/samples_per_step"] = per_step;
  return measured;
}

void ApexSystem::train(TrainingContext& context) const { train_apex(config, replay, context); }

}  // namespace tandem
