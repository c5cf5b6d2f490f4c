#include "tandem/study/cluster_load.h"

#include <algorithm>
#include <cmath>

#include "tandem/cluster/rhythm.h"

namespace tandem {
namespace {

/// The driver asks each part for its state so often; docs/cluster.md has the CPUs of each part.
constexpr double kLookSeconds = 0.5;
constexpr double kLearnerCpus = 1;
constexpr double kShardCpus = 0.25;

/// Actors that find room beside the learner and its shards.
double near_room(const ClusterShape& shape) {
  return std::max(0.0, std::floor(shape.cores - shape.learner_cpus()));
}

/// An actor that waits for credit asks for it so often: each answer without any doubles the pause.
constexpr double kAskSecondsSeen = 0.2;

/// Messages of all actors to shards, a second. An actor's credit, the size and the age of what it
/// has packed end a message; a piece that comes at once is never divided.
double inserts_of(const ClusterWork& work, const ClusterShape& shape, double steps) {
  const double playing = shape.near_actors() + shape.far_actors();
  if (steps <= 0 || playing <= 0) return 0;
  const double each = steps / playing;
  const double window = work.segment * std::max(1.0, std::floor(work.rows / shape.shards));
  const double by_age = std::min(1 / kMessageSeconds, each / work.segment);
  return playing * std::max({each / window, each * work.wire_bytes / kMessageBytes, by_age});
}

/// Processor seconds a second for the bytes of some messages, at both ends.
struct Bytes {
  Bytes(double bytes, double messages, const CarrierCosts& carrier) {
    if (messages > 0 && bytes / messages > carrier.direct_bytes) {
      stored = messages;
      seconds_of_sender = messages * carrier.store_seconds;
    } else {
      seconds_of_sender = bytes * carrier.byte_seconds;
      seconds_of_receiver = seconds_of_sender;
    }
  }

  double stored = 0;  // messages a second that lie in the carrier's store
  double seconds_of_sender = 0;
  double seconds_of_receiver = 0;
};

}  // namespace

double ClusterShape::learner_cpus() const { return kLearnerCpus + kShardCpus * shards; }

/// A Ray of one machine counts as many CPUs as the parts need.
double ClusterShape::near_actors() const {
  if (shared_cores || machines == 1) return actors / machines;
  return std::min(actors / machines, near_room(*this));
}

double ClusterShape::far_actors() const {
  if (shared_cores) return actors - near_actors();
  return std::min(actors - near_actors(), (machines - 1) * std::floor(cores));
}

double ClusterShape::waiting_actors() const { return actors - near_actors() - far_actors(); }

ClusterLoad load_of(const ClusterWork& work, const CarrierCosts& carrier, const ClusterShape& shape,
                    const ClusterRates& rates) {
  const double near = shape.near_actors();
  const double far = shape.far_actors();
  const double playing = near + far;
  const double far_share = playing > 0 ? far / playing : 0;
  const double far_machines = std::min(shape.machines - 1, std::ceil(far));  // that have actors
  const double steps = rates.steps();
  const double looks = 1 / kLookSeconds;
  ClusterLoad load;

  // Messages a second. An actor has one report and one message with parameters under way, and one
  // question to each shard. So these wait, and the orders do not: where the learner has more to do
  // than it can, reports and parameters get the same part of the rest.
  const double inserts = inserts_of(work, shape, steps);
  const double orders = shape.shards * std::max(rates.updates, 1 / work.order_period);
  const double rest = std::max(0.0, carrier.most_messages - orders - looks);
  const double reports = std::min(playing / kReportSeconds, rest / 2);
  const double shard_messages = (inserts + orders) / shape.shards + looks;
  const double idle = playing > 0 ? std::max(0.0, 1 - steps * work.step_span / playing) : 0;
  const double asks =
      work.samples_per_insert > 0
          ? std::min(playing * idle / kAskSecondsSeen,
                     shape.shards * std::max(0.0, carrier.most_messages - shard_messages))
          : 0;
  const double publish_span =
      work.publish_period +
      work.parameter_bytes * (carrier.put_byte_span + far_machines * carrier.pull_byte_span);
  load.publications = std::min({1 / publish_span, std::max(rates.updates, 1 / kRepeatSeconds),
                                (rest - reports) / std::max(playing, 1.0)});
  const double parameters = playing * load.publications;
  load.messages = reports + orders + looks + parameters;

  // Times of threads.
  const auto share = [&](double actors, double their_steps) {
    return actors > 0 ? their_steps * work.step_span / actors : 0;
  };
  load.actor = std::max(share(near, rates.near_steps), share(far, rates.far_steps));
  load.learner = rates.updates * (work.apply_seconds + work.gradient_seconds / work.threads);
  load.unpacking = rates.updates * work.unpack_seconds;
  load.shard =
      rates.updates * work.draw_seconds / shape.shards + shard_messages / carrier.most_messages;

  // Busy cores. A process that has many messages wakes up less often than once for each.
  const auto of_messages = [&](double messages) {
    return 1 - carrier.saved * std::min(1.0, messages / carrier.most_messages);
  };
  const Bytes transitions(steps * work.wire_bytes, inserts, carrier);
  const Bytes samples(rates.updates * work.batch * work.sample_bytes, shape.shards * rates.updates,
                      carrier);
  const double published = load.publications * work.parameter_bytes;
  const double pulls = far_machines * load.publications;
  load.actor_cores =
      steps * work.step_seconds + (inserts + asks + reports) * carrier.send_seconds +
      (parameters + playing * looks) * carrier.receive_seconds + transitions.seconds_of_sender +
      parameters * work.parameter_bytes * carrier.get_byte_seconds + playing * carrier.part_cores;
  load.learner_cores =
      rates.updates *
          (work.gradient_seconds + work.apply_seconds + work.take_seconds + work.unpack_seconds) +
      ((orders + parameters) * carrier.send_seconds + (reports + looks) * carrier.receive_seconds) *
          of_messages(load.messages) +
      samples.seconds_of_receiver + published * carrier.put_byte_seconds + carrier.part_cores;
  load.shard_cores = steps * work.insert_seconds + rates.updates * work.draw_seconds +
                     (shape.shards * shard_messages + asks) * carrier.receive_seconds *
                         of_messages(shard_messages + asks / shape.shards) +
                     transitions.seconds_of_receiver + samples.seconds_of_sender +
                     shape.shards * carrier.part_cores;
  const double driver = (playing + shape.shards + 1) * looks * carrier.send_seconds;
  const double pulled =
      far_share * transitions.stored * carrier.pull_seconds +
      pulls * (carrier.pull_seconds + work.parameter_bytes * carrier.pull_byte_seconds);
  const double kept = samples.stored * carrier.kept_seconds;
  load.carrier_cores = shape.machines * carrier.machine_cores + driver + pulled + kept;
  const double all = load.actor_cores + load.learner_cores + load.shard_cores + load.carrier_cores;

  // The actors' cores by machine: their steps differ, and their messages are nearly the same. Both
  // ends of a pull work alike.
  const double beside_steps = load.actor_cores - steps * work.step_seconds;
  const double far_all = rates.far_steps * work.step_seconds + far_share * beside_steps +
                         (shape.machines - 1) * carrier.machine_cores + pulled / 2;
  load.near_cores = shape.shared_cores ? all : all - far_all;
  load.far_cores = shape.shared_cores || shape.machines <= 1 ? 0 : far_all / (shape.machines - 1);

  // The network of the learner's machine.
  const double far_told = far_share * (inserts + asks + reports);
  const double far_asked = far_share * (parameters + playing * looks);
  const double beats = (shape.machines - 1) * carrier.beat_bytes;
  load.network_in = rates.far_steps * work.wire_bytes + far_share * reports * work.report_bytes +
                    far_told * carrier.request_bytes + far_asked * carrier.answer_bytes +
                    pulls * work.parameter_bytes * carrier.pull_answer_share + beats;
  load.network_out = far_machines * published + far_told * carrier.answer_bytes +
                     far_asked * carrier.request_bytes + beats;
  return load;
}

ClusterMemory memory_of(const ClusterWork& work, const CarrierCosts& carrier,
                        const ClusterShape& shape, const ClusterRates& rates) {
  // Between two trims of the learner, the replay grows; a shard itself trims at twice its capacity.
  const double inserted = rates.steps() * work.copies;
  const double grown =
      rates.updates > 0 ? inserted * work.trim_updates / rates.updates : work.capacity;
  const double transitions = work.capacity + std::min(grown, work.capacity);
  ClusterMemory memory;
  memory.shard = carrier.part_bytes + transitions / shape.shards * work.kept_bytes;
  memory.actor = carrier.part_bytes + work.actor_bytes;
  if (shape.machines > 1) {
    memory.actors_machine =
        carrier.machine_bytes + std::ceil(shape.far_actors() / (shape.machines - 1)) * memory.actor;
  }
  memory.learners_machine = carrier.machine_bytes + carrier.head_bytes + carrier.part_bytes +
                            work.learner_bytes + shape.shards * memory.shard +
                            std::ceil(shape.near_actors()) * memory.actor;
  return memory;
}

}  // namespace tandem
