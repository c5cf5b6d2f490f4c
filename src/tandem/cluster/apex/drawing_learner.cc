#include "tandem/cluster/apex/drawing_learner.h"

#include <algorithm>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/base/random.h"
#include "tandem/base/streams.h"
#include "tandem/cluster/apex/apex_cluster.h"
#include "tandem/systems/apex/apex_system.h"

namespace tandem {
namespace {

/// An actor of the paper fetches parameters each 400 frames, which it plays in about two seconds.
constexpr double kFetchSeconds = 1;

/// A priority of 0 would take a transition out of the draw.
constexpr float kLeastPriority = 1e-3F;

const ApexSystem& apex_of(const Config& config) {
  const auto* apex = dynamic_cast<const ApexSystem*>(&*config.system);
  if (apex == nullptr) throw Error("only Ape-X has a replay on a cluster");
  return *apex;
}

}  // namespace

DrawingLearner::DrawingLearner(const Config& config, ClusterLink& link, double batches_per_second)
    : assembly_(config),
      context_(assembly_.actor_context()),
      link_(link),
      pace_(batches_per_second),
      model_(assembly_.learner()),
      replay_(remote_options(apex_of(config).config, apex_of(config).replay, context_), link,
              crew_.stop_token()),
      publisher_(model_, link),
      roll_(link.self(), static_cast<int>(apex_of(config).config.actors),
            static_cast<int>(apex_of(config).config.envs),
            [this](const ActorPlayed& played, std::int64_t) { steps_ += played.steps; }) {
  link_.listen([this](const Letter& letter) { return roll_.hear(letter); });
  try {
    crew_.spawn("sampler", 1, [this](int) { replay_.run(); });
    crew_.spawn("publisher", 1, [this](int) { publisher_.run(kFetchSeconds, crew_.stop_token()); });
    crew_.spawn("learner", 1, [this](int) { draw(); });
  } catch (...) {  // a thread could not start, and the others use the members
    end();
    throw;
  }
}

DrawingLearner::~DrawingLearner() { end(); }

void DrawingLearner::end() {
  link_.listen(nullptr);
  link_.mailbox().close();  // no answer comes any more
  crew_.end();
}

void DrawingLearner::draw() {
  const auto trim_updates = apex_of(assembly_.config()).config.trim_updates;
  Stream stream(context_.seed, streams::kSimulations.id());
  while (!crew_.stop_token().stop_requested()) {
    if (!pace_.take(1)) continue;
    auto batch = replay_.next();
    std::ranges::generate(batch->samples.priorities,
                          [&] { return kLeastPriority + stream.uniform(); });
    replay_.update(std::move(batch));
    if (++batches_ % trim_updates == 0) replay_.trim();
  }
}

nlohmann::ordered_json DrawingLearner::status() const {
  const auto state = replay_.state();
  const auto& apex = apex_of(assembly_.config());
  const std::int64_t batches = batches_;
  const auto samples = batches * apex.config.batch;
  return {
      {"batches", batches},
      {"samples", samples},
      {"sample_bytes", 2 * samples * static_cast<std::int64_t>(context_.spec.observation_bytes())},
      {"transitions", state.transitions},
      {"stale", state.stale},
      {"lost_batches", replay_.lost_batches()},
      {"steps", steps_.load()},
      {"actors", roll_.alive()}};
}

void DrawingLearner::raise_error() {
  if (crew_.stop_token().stop_requested()) crew_.join();
}

}  // namespace tandem
