#include "tandem/cluster/apex/recorded_player.h"

#include <span>

#include "tandem/base/error.h"
#include "tandem/base/streams.h"
#include "tandem/env/uniform_action.h"
#include "tandem/systems/apex/apex_parts.h"
#include "tandem/systems/apex/apex_system.h"

namespace tandem {
namespace {

/// Some megabytes of frames: more than a cache holds.
constexpr std::int64_t kRecorded = 10'000;

std::span<const std::byte> newest_frame(std::span<const std::byte> observation,
                                        const FrameFormat& format) {
  return observation.last(format.frame_bytes);
}

}  // namespace

std::vector<std::unique_ptr<Segment>> record_play(const ApexActorOptions& options,
                                                  const ActorContext& context,
                                                  std::int64_t transitions) {
  VecEnv env(context.make_env, {.first = options.first_env, .count = 1, .seed = options.seed});
  UniformActions draw(env.spec());
  Stream stream(options.seed, streams::kRandomActions.id());
  NStepBuilder builder(options.format, options.transitions);
  std::vector<std::byte> observations(static_cast<std::size_t>(env.size()) *
                                      env.spec().observation_bytes());
  // The first row's; an environment with more agents has more.
  const auto observation = std::span(observations).first(env.spec().observation_bytes());
  std::vector<std::unique_ptr<Segment>> segments;
  env.reset(observations);
  builder.begin(newest_frame(observation, options.format));
  for (std::int64_t recorded = 0; recorded < transitions;) {
    const auto actions = draw.draw(stream);
    builder.act(actions[0], {.action_value = stream.uniform(), .state_value = stream.uniform()});
    if (builder.full()) {
      segments.push_back(builder.take());
      recorded += std::ssize(segments.back()->transitions());
    }
    env.step(actions, observations);
    const auto frame = newest_frame(observation, options.format);
    const auto& result = env.result(0);
    const float reward = context.rule.reward(env.reward(0));
    if (!result.terminated && !result.truncated) {
      builder.step(reward, frame);
      continue;
    }
    if (result.terminated) {
      builder.terminate(reward);
    } else {
      builder.truncate(reward, newest_frame(env.final_observation(0), options.format), 0);
    }
    builder.begin(frame);
  }
  return segments;
}

void RecordedPlayer::play() {
  const Segment& segment = *segments_[next_];
  const auto transitions = std::ssize(segment.transitions());
  if (!pace_->take(static_cast<double>(transitions))) return;
  next_ = (next_ + 1) % segments_.size();
  full_.push_back(&segment);
  packed_ += transitions * copies_;
  packed_bytes_ += segment.bytes();
  steps_ += transitions;
}

void RecordedPlayer::take(StateWriter& writer) {
  for (const auto* segment : full_) segment->save(writer);
  full_.clear();
  packed_ = 0;
  packed_bytes_ = 0;
}

ActorPlan recorded_plan(const System& system, const ActorContext& context, const RoleOrder& order,
                        std::shared_ptr<Pace> pace) {
  const auto* apex = dynamic_cast<const ApexSystem*>(&system);
  if (apex == nullptr) throw Error("only Ape-X's play can be recorded for a load");
  auto plan = cluster_way_of(system).plan_actor(system, context, order);
  plan.make_player = [apex, &context, order, pace = std::move(pace)](const PublishedParameters&) {
    const auto options =
        actor_options(apex->config, apex->replay, context, context.spec, order.rank);
    return std::make_unique<RecordedPlayer>(record_play(options, context, kRecorded),
                                            apex->config.copies, pace);
  };
  return plan;
}

}  // namespace tandem
