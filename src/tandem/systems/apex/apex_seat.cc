#include "tandem/systems/apex/apex_seat.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/systems/common/thread_state.h"

namespace tandem {
namespace {

/// The state of a seat beside that of its actor, which may be missing.
std::string successors_name(const std::string& name) { return name + "_successors"; }

}  // namespace

ApexSeat::ApexSeat(const ApexActorOptions& options, std::int64_t restarts, MakeActor make_actor)
    : options_(options), restarts_(restarts), make_actor_(std::move(make_actor)) {}

void ApexSeat::step() {
  try {
    if (actor_ == nullptr) begin();
    actor_->step(full_);
    steps_ += actor_->size();
  } catch (const Diverged&) {
    throw;  // a successor would act by the same parameters
  } catch (const std::exception& error) {
    drop(error);
    succeed();
  }
}

/// Makes a successor at once, so that a checkpoint has its draws and its unit of rewards. If it
/// cannot begin either, the next step tries again, unless the run ends before.
void ApexSeat::succeed() {
  try {
    begin();
  } catch (const std::exception& error) {
    drop(error);
  }
}

void ApexSeat::begin() {
  actor_ = make_actor_(options_);
  if (reward_scale_) actor_->keep_reward_scale(*std::exchange(reward_scale_, {}));
  actor_->start();
}

void ApexSeat::send(Table& table, std::int64_t copies) {
  for (auto& segment : full_) table.insert(std::move(segment), copies);
  full_.clear();
}

/// Drops the actor with its unfinished transitions. Throws its error if no other may follow.
void ApexSeat::drop(const std::exception& error) {
  if (restarted_ == restarts_) throw;
  restarted_ += 1;
  spdlog::warn("{}; its actor begins anew (time {} of {}: apex.restarts)", error.what(), restarted_,
               restarts_);
  if (actor_ != nullptr) {
    std::ranges::move(actor_->take_episodes(), std::back_inserter(ended_));
    // The unit of rewards stays, for the replay holds rewards in it.
    reward_scale_ = actor_->take_reward_scale();
    actor_.reset();
  }
  options_.seed += 1;  // the same draws could end in the same error
  successors_ += 1;
}

std::optional<ActorPlayed> ApexSeat::take_played() {
  ActorPlayed played{.steps = std::exchange(steps_, 0), .episodes = std::exchange(ended_, {})};
  if (actor_ != nullptr) {
    std::ranges::move(actor_->take_episodes(), std::back_inserter(played.episodes));
    played.seconds = actor_->take_seconds();
  }
  if (actor_ == nullptr && played.steps == 0 && played.episodes.empty()) return std::nullopt;
  return played;
}

void ApexSeat::save(const Checkpoint* resume, const std::string& name,
                    Checkpoint& checkpoint) const {
  if (successors_ > 0) {
    StateWriter writer;
    writer.put(successors_);
    checkpoint.add_blob(successors_name(name), writer.bytes());
  } else {
    keep_state(resume, successors_name(name), checkpoint);
  }
  if (actor_ == nullptr) {
    if (restarted_ == 0) keep_state(resume, name, checkpoint);
    return;
  }
  save_state(*actor_, name, checkpoint);
}

void ApexSeat::load(const Checkpoint& resume, const std::string& name) {
  if (has_state(&resume, name)) {
    actor_ = make_actor_(options_);
    StateReader reader(resume.blob(name));
    actor_->load(reader);
    // An older version wrote the number here.
    if (!reader.at_end()) successors_ = reader.get<std::int64_t>();
  }
  if (has_state(&resume, successors_name(name))) {
    StateReader reader(resume.blob(successors_name(name)));
    successors_ = reader.get<std::int64_t>();
  }
  // The next successor draws otherwise than those before the checkpoint.
  options_.seed += static_cast<std::uint64_t>(successors_);
}

}  // namespace tandem
