#include "tandem/env/labyrinth/world.h"

#include <algorithm>
#include <utility>

#include "tandem/base/error.h"

namespace tandem::labyrinth {
namespace {

constexpr std::int16_t kNothing = -1;
constexpr std::int16_t kPortalHere = -2;

constexpr Cell cell_at(Fixed x, Fixed y) { return {x >> kFixedBits, y >> kFixedBits}; }

/// The way along one axis, up to the wall that stops it. The agent's front moves from `from` into a
/// cell that is blocked; it is shorter than a cell.
Fixed up_to_wall(Fixed from, Fixed way) {
  const Fixed front = from + way + (way > 0 ? World::kRadius : -World::kRadius);
  const Fixed wall = way > 0 ? front & ~(kOne - 1) : (front & ~(kOne - 1)) + kOne;
  // One unit less than the wall's edge, which belongs to the wall.
  return way > 0 ? wall - 1 - World::kRadius : wall + World::kRadius;
}

}  // namespace

World::World(Maze maze)
    : maze_(std::move(maze)), taken_(maze_.apples.size()), contents_(maze_.walls.size(), kNothing) {
  contents_[maze_.index(maze_.portal)] = kPortalHere;
  for (std::size_t apple = 0; apple < maze_.apples.size(); ++apple) {
    contents_[maze_.index(maze_.apples[apple])] = static_cast<std::int16_t>(apple);
  }
  const auto& cell = maze_.free.front();
  place({.x = middle(cell.x), .y = middle(cell.y)});
}

void World::place(Stream& stream) {
  const auto& cell = maze_.free[stream.below(static_cast<std::uint32_t>(maze_.free.size()))];
  const auto angle = static_cast<std::int32_t>(stream.below(kTurn));
  place({.x = middle(cell.x), .y = middle(cell.y), .angle = angle});
  std::ranges::fill(taken_, std::uint8_t{0});
}

void World::place(const Agent& agent) { agent_ = agent; }

Event World::advance(const Motion& motion, Stream& stream) {
  agent_.angle = (agent_.angle + motion.turn * kTurned) & (kTurn - 1);
  const Fixed east = cosine(agent_.angle);
  const Fixed south = sine(agent_.angle);
  move(static_cast<Fixed>(times(kStride, motion.forward * east - motion.sideways * south)),
       static_cast<Fixed>(times(kStride, motion.forward * south + motion.sideways * east)));

  const Cell cell = cell_at(agent_.x, agent_.y);
  const auto content = contents_[maze_.index(cell)];
  if (content == kNothing) return {};
  const std::int64_t dx = agent_.x - middle(cell.x);
  const std::int64_t dy = agent_.y - middle(cell.y);
  constexpr std::int64_t kReach64 = kReach;
  if (dx * dx + dy * dy >= kReach64 * kReach64) return {};
  if (content == kPortalHere) {
    place(stream);
    return {.reward = kPortalReward, .entered_portal = true};
  }
  auto& taken = taken_[static_cast<std::size_t>(content)];
  if (taken != 0) return {};
  taken = 1;
  return {.reward = kAppleReward};
}

/// Moves along each axis in turn, so that an agent that runs into a wall slides along it.
void World::move(Fixed dx, Fixed dy) {
  agent_.x = blocked(agent_.x + dx, agent_.y) ? up_to_wall(agent_.x, dx) : agent_.x + dx;
  agent_.y = blocked(agent_.x, agent_.y + dy) ? up_to_wall(agent_.y, dy) : agent_.y + dy;
}

bool World::blocked(Fixed x, Fixed y) const {
  const Cell from = cell_at(x - kRadius, y - kRadius);
  const Cell to = cell_at(x + kRadius, y + kRadius);
  // The agent is narrower than a cell, so its corners are in all cells that it touches.
  return maze_.wall(from) || maze_.wall(to) || maze_.wall({from.x, to.y}) ||
         maze_.wall({to.x, from.y});
}

void World::save(StateWriter& writer) const {
  writer.put(agent_);
  for (const auto taken : taken_) writer.put(taken);
}

void World::load(StateReader& reader) {
  const auto agent = reader.get<Agent>();
  const Fixed most = maze_.size * kOne - kRadius;
  const bool inside = agent.x >= kRadius && agent.y >= kRadius && agent.x < most && agent.y < most;
  if (!inside || agent.angle < 0 || agent.angle >= kTurn || blocked(agent.x, agent.y)) {
    throw Error(kDamagedState);
  }
  std::vector<std::uint8_t> all_taken(taken_.size());
  for (auto& taken : all_taken) {
    taken = reader.get<std::uint8_t>();
    if (taken > 1) throw Error(kDamagedState);
  }
  taken_ = std::move(all_taken);
  place(agent);
}

}  // namespace tandem::labyrinth
