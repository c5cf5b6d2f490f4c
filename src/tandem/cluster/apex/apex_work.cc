#include "tandem/cluster/apex/apex_work.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tandem/base/clock.h"
#include "tandem/base/error.h"
#include "tandem/base/median.h"
#include "tandem/cluster/apex/apex_cluster.h"
#include "tandem/cluster/apex/apex_player.h"
#include "tandem/cluster/draw.h"
#include "tandem/cluster/rhythm.h"
#include "tandem/cluster/shard.h"
#include "tandem/learn/shared_model.h"
#include "tandem/replay/sample_batch.h"
#include "tandem/sync/crew.h"
#include "tandem/systems/apex/apex_parts.h"
#include "tandem/systems/apex/replay_learner.h"

namespace tandem {
namespace {

/// The parameters' copies in the processes of an actor and of a learner: messages, networks with
/// layouts of their own, the optimizer. Seen in trainings (docs/results/cluster_forecast.md).
constexpr double kActorCopies = 11;
constexpr double kLearnerCopies = 15;
constexpr double kCopiesOfAThread = 4;

/// More shares of a gradient need much memory and tell little.
constexpr int kMostShares = 8;

constexpr int kWorkTurns = 5;
constexpr std::uint64_t kBenchRun = 1;

/// The times of one turn, each of a unit that ClusterWork names.
enum WorkTime {
  step_time,
  span_time,
  insert_time,
  draw_time,
  take_time,
  unpack_time,
  update_time,
  apply_time,
  work_times
};
using WorkTimes = std::array<double, work_times>;

/// Processor seconds of this thread since the last lap.
class ProcessorLaps {
 public:
  double lap() {
    const double now = thread_processor_seconds();
    return now - std::exchange(last_, now);
  }

 private:
  double last_ = thread_processor_seconds();
};

ShardOptions bench_shard(const ApexConfig& config, ReplayConfig replay, const FrameFormat& format,
                         const ActorContext& context) {
  // So small that a measurement fills it.
  const auto least = 4 * config.batch + replay.segment;
  replay.capacity = std::clamp<std::int64_t>(replay.capacity, least, 40 * least);
  return {.replay = replay,
          .format = format,
          .num_actions = context.spec.num_actions,
          .batch = config.batch,
          .copies = config.copies,
          .seed = context.seed,
          .self = {.run = kBenchRun, .epoch = 1, .part = kFirstShardPart, .incarnation = 1}};
}

/// An actor, a shard and a learner, all in one thread.
class ClusterBench {
 public:
  ClusterBench(const ApexConfig& config, const ReplayConfig& replay, const TrainingContext& context,
               int rank)
      : config_(config),
        beta_(replay.beta),
        num_actions_(context.actor.spec.num_actions),
        threads_(std::min(context.threads, kMostShares)),
        learner_(context.learner.architecture(), context.learner.config(), context.actor.seed),
        context_{.actor = context.actor,
                 .algorithm = context.algorithm,
                 .learner = learner_,
                 .run = context.run},
        model_(learner_),
        replay_learner_(context.algorithm.replay(), context_, model_, threads_),
        zeros_(static_cast<std::size_t>(threads_), std::vector<float>(model_.size())),
        options_(actor_options(config, replay, context.actor, context.actor.spec, rank)),
        player_(options_, context.actor, NetworkCopy(model_, context.actor.make_network),
                config.copies),
        shard_(bench_shard(config, replay, options_.format, context.actor)),
        batch_(options_.format, static_cast<std::size_t>(config.batch)) {
    player_.start();
    while (transitions() < 2 * config.batch) play();
    learn();
  }

  WorkTimes turn(double seconds) {
    times_ = {};
    steps_ = 0;
    inserts_ = 0;
    for (const Stopwatch watch; watch.seconds() < seconds / 2 || inserts_ == 0;) play();
    const auto steps = static_cast<double>(steps_);
    times_[step_time] /= steps;
    times_[span_time] /= steps;
    times_[insert_time] /= static_cast<double>(inserts_);
    int updates = 0;
    for (const Stopwatch watch; watch.seconds() < seconds / 2 || updates == 0; ++updates) learn();
    for (const WorkTime of : {draw_time, take_time, unpack_time, update_time, apply_time})
      times_[of] /= updates;
    return times_;
  }

  /// The sizes that the bench has seen, and the times of the turns.
  [[nodiscard]] ClusterWork work(const WorkTimes& times) const {
    const auto status = shard_.status();
    const auto batch = static_cast<double>(config_.batch);
    return {.step_seconds = times[step_time],
            .step_span = std::max(times[step_time], times[span_time]),
            .wire_bytes = sent_bytes_ / sent_,
            .insert_seconds = times[insert_time],
            .draw_seconds = times[draw_time],
            .kept_bytes = status.at("bytes").get<double>() / status.at("transitions").get<double>(),
            .sample_bytes = answer_bytes_ / batch,
            .gradient_seconds = std::max(0.0, times[update_time] - times[apply_time]),
            .apply_seconds = std::min(times[apply_time], times[update_time]),
            .take_seconds = times[take_time],
            .unpack_seconds = times[unpack_time]};
  }

 private:
  [[nodiscard]] std::int64_t transitions() const {
    return shard_.status().at("transitions").get<std::int64_t>();
  }

  [[nodiscard]] static Sender sender(std::uint32_t part) {
    return {.run = kBenchRun, .epoch = 1, .part = part, .incarnation = 1};
  }

  /// One step of each row, and the insert of the transitions that are ready.
  void play() {
    if (context_.run.done()) throw Stopped();
    ProcessorLaps processor;
    const Stopwatch watch;
    player_.play();
    const auto count = player_.packed();
    std::vector<std::byte> message;
    if (count > 0) {
      MessageWriter writer(sender(kFirstActorPart), Verb::insert, ++sent_messages_);
      writer.content().put(std::int64_t{0});  // credit, and the wish for more
      writer.content().put(std::int64_t{0});
      player_.take(writer.content());
      message = std::move(writer).seal();
    }
    times_[step_time] += processor.lap();
    times_[span_time] += watch.seconds();
    steps_ += player_.take_played().steps;
    if (count == 0) return;
    processor.lap();
    shard_.deliver(message);
    times_[insert_time] += processor.lap();
    const auto made = count / config_.copies;
    inserts_ += made;
    sent_ += static_cast<double>(made);
    sent_bytes_ += static_cast<double>(message.size());
  }

  /// One batch on its way from the shard to the learner, and its update.
  void learn() {
    DrawOrder order{.incarnation = 1,
                    .keys = batch_.keys,
                    .priorities = batch_.priorities,
                    .samples = static_cast<std::uint32_t>(config_.batch),
                    .shown = 100};
    if (ordered_ == 0) order.keys.clear();
    if (ordered_ == 0) order.priorities.clear();
    MessageWriter writer(sender(kLearnerPart), Verb::draw, ++ordered_);
    order.save(writer.content());
    const auto message = std::move(writer).seal();
    ProcessorLaps processor;
    const auto sealed = shard_.deliver(message);
    times_[draw_time] += processor.lap();
    const auto letter = open_message(sealed);
    StateReader reader(letter.content);
    auto answer = DrawAnswer::load(reader);
    const auto added = answer.added;
    read_samples(answer, options_.format, num_actions_, batch_, 0);
    times_[take_time] += processor.lap();
    batch_.read(added);
    batch_.weigh(beta_);
    times_[unpack_time] += processor.lap();
    replay_learner_.update(batch_, 0);
    times_[update_time] += processor.lap();
    model_.apply(zeros_, 0);
    times_[apply_time] += processor.lap();
    answer_bytes_ = static_cast<double>(sealed.size());
  }

  const ApexConfig& config_;
  const double beta_;
  const std::int64_t num_actions_;
  const int threads_;
  Learner learner_;
  TrainingContext context_;  // with one thread, which computes all shares of a gradient
  SharedModel model_;
  ReplayLearner replay_learner_;
  const std::vector<std::vector<float>> zeros_;
  const ApexActorOptions options_;
  ApexPlayer player_;
  Shard shard_;
  SampleBatch batch_;
  WorkTimes times_ = {};
  std::int64_t steps_ = 0;
  std::int64_t inserts_ = 0;
  double sent_ = 0;
  double sent_bytes_ = 0;
  double answer_bytes_ = 0;
  std::uint64_t sent_messages_ = 0;
  std::uint64_t ordered_ = 0;
};

/// The medians of several turns. A sleep is counted by its shortest turn, because other programs
/// only lengthen it.
ClusterWork measure_bench(ClusterBench& bench, double seconds) {
  std::array<std::vector<double>, work_times> all;
  bench.turn(seconds / (kWorkTurns + 1));
  for (int i = 0; i < kWorkTurns; ++i) {
    const auto times = bench.turn(seconds / (kWorkTurns + 1));
    for (std::size_t of = 0; of < work_times; ++of) all[of].push_back(times[of]);
  }
  WorkTimes times;
  for (std::size_t of = 0; of < work_times; ++of) times[of] = median(all[of]);
  times[span_time] = *std::ranges::min_element(all[span_time]);
  return bench.work(times);
}

/// The mean of the measured members.
ClusterWork mean_work(const std::vector<ClusterWork>& all) {
  ClusterWork mean;
  for (auto member :
       {&ClusterWork::step_seconds, &ClusterWork::step_span, &ClusterWork::wire_bytes,
        &ClusterWork::insert_seconds, &ClusterWork::draw_seconds, &ClusterWork::kept_bytes,
        &ClusterWork::sample_bytes, &ClusterWork::gradient_seconds, &ClusterWork::apply_seconds,
        &ClusterWork::take_seconds, &ClusterWork::unpack_seconds}) {
    mean.*member = 0;
    for (const auto& one : all) mean.*member += one.*member / static_cast<double>(all.size());
  }
  return mean;
}

}  // namespace

ClusterWork measure_apex_work(const ApexConfig& config, const ReplayConfig& replay,
                              const TrainingContext& context, int cores, double seconds) {
  std::vector<ClusterWork> all(static_cast<std::size_t>(cores));
  Crew crew;
  crew.spawn("cluster_bench", cores, [&](int rank) {
    ClusterBench bench(config, replay, context, rank);
    all[static_cast<std::size_t>(rank)] = measure_bench(bench, seconds);
  });
  crew.join();
  if (context.run.done()) throw Interrupted();
  auto work = mean_work(all);

  const auto number = [](auto value) { return static_cast<double>(value); };
  const auto& spec = context.actor.spec;
  const double parameters = sizeof(float) * number(context.learner.parameters().size());
  const double batch_bytes = 2 * number(config.batch) * number(spec.observation_bytes());
  work.rows = number(config.envs * spec.agents);
  work.segment = number(replay.segment);
  work.report_bytes = 200;  // counts, times and now and then an episode
  work.actor_bytes = kActorCopies * parameters;
  work.order_period = replay.samples_per_insert == 0 ? kIdleOrderSeconds : kOrderSeconds;
  work.threads = number(context.threads);
  work.learner_bytes = number(batches_of(config)) * batch_bytes +
                       parameters * (kLearnerCopies + kCopiesOfAThread * number(context.threads));
  work.parameter_bytes = parameters;
  work.publish_period = kApexPublishSeconds;
  work.batch = number(config.batch);
  work.copies = number(config.copies);
  work.samples_per_insert = replay.samples_per_insert;
  work.capacity = number(replay.capacity);
  work.trim_updates = number(config.trim_updates);
  return work;
}

}  // namespace tandem
