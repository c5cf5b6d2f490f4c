#include "tandem/env/gym/gym_group.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/env/finite.h"
#include "tandem/env/gym/description.h"
#include "tandem/env/gym/milliseconds.h"
#include "tandem/env/gym/start_file.h"
#include "tandem/sync/cores.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kTimeToClose = std::chrono::seconds(2);
// A start may take this number of times as long as a step, and at least so many seconds: it may
// import large libraries on a busy machine.
constexpr double kStartTimes = 5;
constexpr double kLeastStartSeconds = 30;

// Environments of other libraries take seeds of 31 bits.
constexpr std::uint64_t kSeedBits = 0x7fffffff;

Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

std::size_t teams_for(std::int64_t workers, std::size_t envs) {
  const auto wanted = workers > 0 ? static_cast<std::size_t>(workers)
                                  : std::max<std::size_t>(1, usable_cores().size());
  return std::min(wanted, envs);
}

}  // namespace

GymGroup::GymGroup(std::string name, GymOptions options, std::span<const std::uint64_t> seeds)
    : name_(std::move(name)),
      options_(std::move(options)),
      start_file_(make_start_file(name_, options_)) {
  if (seeds.empty()) throw std::logic_error("GymGroup: no environments");
  divide(seeds);
  answers_.reserve(seeds.size());
  ready_.reserve(seeds.size());
  for (auto& team : teams_) hire(team);  // all start at the same time
  spec_ = welcome(teams_.front());
  for (auto& team : std::span(teams_).subspan(1)) require_alike(welcome(team));
  slots_.emplace(spec_, size(), memory_);
  for (auto& team : teams_) team.worker->send(slots_->layout());
}

GymGroup::~GymGroup() {
  const auto is_own = [](const Team& team) {
    return !team.worker || team.worker->process().is_own();
  };
  if (!std::ranges::all_of(teams_, is_own)) return;  // of the process that has forked this one
  set_ring(Ring::close);
  const auto deadline = Clock::now() + kTimeToClose;
  for (auto& team : teams_) {
    if (team.worker) team.worker->ring();
  }
  for (auto& team : teams_) {
    if (team.worker) team.worker->process().wait_until(deadline);
  }
}

void GymGroup::divide(std::span<const std::uint64_t> seeds) {
  members_.resize(seeds.size());
  teams_.resize(teams_for(options_.workers, seeds.size()));
  for (std::size_t t = 0; t < teams_.size(); ++t) {
    const auto first = t * seeds.size() / teams_.size();
    const auto end = (t + 1) * seeds.size() / teams_.size();
    teams_[t].first = static_cast<int>(first);
    teams_[t].count = static_cast<int>(end - first);
    for (auto i = first; i < end; ++i) {
      members_[i].seed = seeds[i] & kSeedBits;
      members_[i].team = t;
    }
  }
}

void GymGroup::hire(Team& team) {
  std::vector<int> envs;
  std::vector<std::uint64_t> seeds;
  for (int env = team.first; env < team.first + team.count; ++env) {
    envs.push_back(env);
    seeds.push_back(members_[env].seed);
  }
  team.worker =
      std::make_unique<Worker>(options_.interpreter(), fmt::format("tandem gym:{}", name_),
                               start_file_.get(), memory_.descriptor(), options_.abandoned);
  team.worker->send({{"envs", envs}, {"seeds", seeds}});
}

EnvSpec GymGroup::welcome(Team& team) {
  nlohmann::json description;
  try {
    const auto deadline = Clock::now() + seconds(std::max(kLeastStartSeconds,
                                                          kStartTimes * options_.timeout_seconds));
    description = team.worker->receive(deadline).content;
  } catch (const Error& how) {
    throw Error(fmt::format("{} {} while it started; its own messages tell more",
                            worker_words(team), how.what()));
  }
  return spec_of(description, options_.stack);
}

void GymGroup::require_alike(const EnvSpec& spec) const {
  if (!alike(spec, spec_)) {
    throw Error("environments of one group have different observations or actions");
  }
}

void GymGroup::hire_again(Team& team) {
  // All environments of a worker ask for a new one, and starting may take long.
  if (!team.refused.empty()) throw Error(team.refused);
  for (int env = team.first; env < team.first + team.count; ++env) {
    auto& seed = members_[env].seed;  // another one, so that episodes do not come again
    seed = (seed + 0x9e3779b9) & kSeedBits;
    slots_->clear(env);
  }
  try {
    hire(team);
    require_alike(welcome(team));
    team.worker->send(slots_->layout());
  } catch (const Error& error) {
    team.worker.reset();
    team.refused =
        fmt::format("{}; a new one could not be started: {}", team.failure, error.what());
    throw Error(team.refused);
  }
}

void GymGroup::begin(std::span<const GroupRequest> requests) {
  for (auto& team : teams_) {
    team.refused.clear();
    team.idle = team.pending == 0;
  }
  for (const auto& request : requests) {
    try {
      begin_one(request);
    } catch (const Error&) {
      ready_.push_back({.env = request.env, .error = std::current_exception()});
    }
  }
  for (auto& team : teams_) {
    if (!std::exchange(team.to_ring, false)) continue;
    if (team.idle) team.progress = Clock::now();  // to start another worker may have taken long
    team.worker->ring();
  }
}

void GymGroup::begin_one(const GroupRequest& request) {
  auto& member = members_.at(request.env);
  auto& team = teams_[member.team];
  if (member.pending) throw std::logic_error("GymGroup::begin: the environment still steps");
  auto kind = SlotRequest::reset;
  if (request.actions.empty()) {
    if (team.worker && team.pending == 0 && team.worker->process().wait_until(Clock::now())) {
      lose(team, team.worker->process().end());  // nobody has noticed yet
    }
    if (!team.worker) hire_again(team);
    member.lost = false;
  } else {
    if (member.lost) throw Error(team.failure);
    slots_->set_action(request.env, request.actions.front());
    kind = request.first_frames.empty() ? SlotRequest::step : SlotRequest::step_and_reset;
  }
  member.request = request;
  member.pending = true;
  ++team.pending;
  ++pending_;
  slots_->request(request.env, kind);
  team.to_ring = true;
}

std::span<const GroupAnswer> GymGroup::finish(int at_least) {
  answers_.clear();
  take_ready();
  const auto missing = [&] { return at_least - static_cast<int>(answers_.size()); };
  if (missing() > pending_) throw std::logic_error("GymGroup::finish: more than were begun");
  // Workers must know before the answers are collected: else one of them might answer in between
  // and not ring.
  set_ring(missing() == pending_ ? Ring::when_all : Ring::when_each);
  for (auto& team : teams_) collect(team);
  while (missing() > 0) {
    wait(missing() == pending_);
    take_ready();
  }
  return answers_;
}

void GymGroup::take_ready() {
  answers_.insert(answers_.end(), ready_.begin(), ready_.end());
  ready_.clear();
}

void GymGroup::set_ring(Ring ring) {
  if (ring == ring_) return;
  ring_ = ring;
  slots_->set_ring(ring);
}

void GymGroup::collect(Team& team) {
  if (team.pending == 0) return;
  const int before = team.pending;
  for (int env = team.first; env < team.first + team.count; ++env) {
    auto& member = members_[env];
    if (!member.pending) continue;
    const auto answer = slots_->take_answer(env);
    if (answer == SlotAnswer::none) continue;
    member.pending = false;
    --team.pending;
    --pending_;
    answers_.push_back(answer_of(member, answer));
  }
  if (team.pending < before) team.progress = Clock::now();
}

GroupAnswer GymGroup::answer_of(const Member& member, SlotAnswer answer) const {
  const auto& request = member.request;
  GroupAnswer given{.env = request.env};
  try {
    if (answer == SlotAnswer::failed) throw Error(std::string(slots_->text(request.env)));
    take_frames(slots_->frame(request.env), request.frames);
    if (request.actions.empty()) return given;
    auto& result = given.result;
    result.reward = slots_->reward(request.env);
    if (!std::isfinite(result.reward)) {
      throw Error(fmt::format("step() gave the reward {}, which is not finite", result.reward));
    }
    result.terminated = slots_->terminated(request.env);
    result.truncated = slots_->truncated(request.env);
    result.game_over = result.terminated || result.truncated;
    if (result.game_over && !request.first_frames.empty()) {
      take_frames(slots_->first_frame(request.env), request.first_frames);
    }
  } catch (const Error&) {
    given.error = std::current_exception();
  }
  return given;
}

void GymGroup::take_frames(std::span<const std::byte> from, std::span<std::byte> to) const {
  if (from.size() != to.size()) throw std::logic_error("GymGroup: frames of another size");
  if (spec_.dtype == DType::f32 && !all_finite(from)) {
    throw Error("an observation has a number that is not finite as a 32-bit float");
  }
  std::memcpy(to.data(), from.data(), from.size());
}

void GymGroup::wait(bool for_all) {
  if (*options_.abandoned) throw Error("nobody waits for these environments any more");
  // If all are awaited, the order does not matter, and to wait for one worker at a time spares this
  // thread half of its wake-ups.
  watched_.clear();
  auto until = Time::max();
  for (const auto& team : teams_) {
    if (team.pending == 0 || (for_all && !watched_.empty())) continue;
    watched_.push_back({.fd = team.worker->rung(), .events = POLLIN, .revents = 0});
    watched_.push_back({.fd = team.worker->process().ended(), .events = POLLIN, .revents = 0});
    until = std::min(until, deadline(team));
  }
  const auto began = Clock::now();
  const auto slice = std::min(milliseconds_until(until), kSliceMilliseconds);
  static_cast<void>(poll(watched_.data(), watched_.size(), slice));  // a signal leaves none ready
  const auto excess = suspended_for(Clock::now() - began);
  for (auto& team : teams_) team.progress += excess;
  auto watched = watched_.begin();
  for (std::size_t t = 0; t < teams_.size() && watched != watched_.end(); ++t) {
    if (teams_[t].worker == nullptr || watched->fd != teams_[t].worker->rung()) continue;
    attend(teams_[t], watched[0].revents != 0, watched[1].revents != 0);
    watched += 2;
  }
}

void GymGroup::attend(Team& team, bool rang, bool ended) {
  if (rang) team.worker->take_ring();
  const bool late = Clock::now() >= deadline(team);
  if (!rang && !ended && !late) return;
  const int before = team.pending;
  collect(team);
  if (team.pending == 0 || rang) return;
  if (ended) return lose(team, team.worker->process().end());
  if (team.pending < before) return;
  lose(team, fmt::format("did not answer for {} seconds (env.timeout_seconds) and was ended",
                         options_.timeout_seconds));
}

GymGroup::Time GymGroup::deadline(const Team& team) const {
  return team.progress + seconds(options_.timeout_seconds);
}

void GymGroup::lose(Team& team, const std::string& how) {
  team.failure = fmt::format("{} {}", worker_words(team), how);
  team.worker.reset();
  const auto error = std::make_exception_ptr(Error(team.failure));
  for (int env = team.first; env < team.first + team.count; ++env) {
    auto& member = members_[env];
    member.lost = true;
    if (!std::exchange(member.pending, false)) continue;
    ready_.push_back({.env = env, .error = error});
    --team.pending;
    --pending_;
  }
}

std::string GymGroup::worker_words(const Team& team) const {
  const auto of = team.count == 1 ? std::string("this environment")
                                  : fmt::format("this and {} other environment{}", team.count - 1,
                                                team.count == 2 ? "" : "s");
  return fmt::format("the worker process {} of {}", team.worker->process().id(), of);
}

Picture GymGroup::render(int env) {
  auto& team = teams_[members_.at(env).team];
  if (members_[env].pending) throw std::logic_error("GymGroup::render: the environment steps");
  if (!team.worker) throw Error(team.failure);
  slots_->request(env, SlotRequest::render);
  team.worker->ring();
  Worker::Message message;
  try {
    message = team.worker->receive(Clock::now() + seconds(options_.timeout_seconds));
  } catch (const Error& how) {
    lose(team, how.what());
    throw Error(team.failure);
  }
  const auto& content = message.content;
  if (content.contains("error")) throw Error(content.at("error").get<std::string>());
  return {.width = content.at("width").get<int>(),
          .height = content.at("height").get<int>(),
          .rgb = std::move(message.picture)};
}

}  // namespace tandem
