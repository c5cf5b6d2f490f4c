#include "environments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "environment_lookup.h"
#include "tandem/base/error.h"

namespace tandem::python {
namespace {

namespace nb = nanobind;

std::vector<int> counted(int count) {
  std::vector<int> ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

}  // namespace

Environments::Environments(const std::string& id, const Options& options, int count, int threads,
                           Autoreset autoreset)
    : count_(count), threads_(threads), autoreset_(autoreset), all_(counted(count)) {
  std::tie(config_, spec_) = find_environment(id, options, threads);
  agents_ = static_cast<std::size_t>(spec_.agents);
  rows_ = static_cast<std::size_t>(count) * agents_;
  shape_ = {rows_};
  for (const auto size : spec_.observation_shape()) {
    shape_.push_back(static_cast<std::size_t>(size));
  }
  observations_ = make_array_pool(rows_ * spec_.observation_bytes());
  numbers_ = make_array_pool(rows_ * (sizeof(double) + 2 * sizeof(bool)));
  actions_ = std::make_unique<ActionRows>(spec_, count);
}

Environments::~Environments() {
  if (occupancy_.forked()) {
    std::ignore = vec_.release();
    std::ignore = interruptible_.release();
    return;
  }
  if (vec_ == nullptr && interruptible_ == nullptr) return;
  const nb::gil_scoped_release without_gil;
  abandon();
  interruptible_.reset();  // a call that a signal cut short still uses the environments
  vec_.reset();
}

/// A call that a signal cut short may wait for an environment that hangs.
void Environments::abandon() {
  if (interruptible_ != nullptr && interruptible_->busy()) config_.family->abandon();
}

/// Waits for an interrupted call, and keeps the error with which it ended.
void Environments::settle() {
  if (interruptible_ == nullptr) return;
  auto error = interruptible_->settle();
  if (error && receiving_) left_ = std::move(error);  // recv() told nobody of it
  receiving_ = false;
}

VecEnv& Environments::require_started() {
  if (closed_) throw Error("these environments are closed");
  settle();
  if (!started_) throw Error("no game has begun yet; call reset() first");
  return *vec_;
}

int Environments::in_flight() const {
  if (vec_ == nullptr) return 0;
  return static_cast<int>(
      std::ranges::count_if(all_, [this](int id) { return vec_->in_flight(id); }));
}

void Environments::require_idle() const {
  const int stepping = in_flight();
  if (stepping == 0) return;
  throw Error(fmt::format("{} environments still step; call recv() until all are back", stepping));
}

/// Before a call that begins all environments' games. It forgets the steps of a receive() that a
/// signal cut short, which nobody has taken.
void Environments::require_all_back() {
  require_idle();
  ready_.clear();
}

/// Before a call that goes on with the games: ends that nobody has seen would be lost.
void Environments::require_known() const {
  if (lost_) {
    throw Error("a call was interrupted, and its results are lost; call reset() first");
  }
  if (!ready_.empty()) {
    throw Error(
        "the steps of a recv() that was interrupted wait; call recv() first, or reset() all");
  }
}

template <class Function>
void Environments::run(Function function) {
  if (interruptible_ != nullptr) return interruptible_->run(function);
  const nb::gil_scoped_release without_gil;
  function();
}

template <class Function>
void Environments::run_or_lose(Function function) {
  try {
    run(function);
  } catch (const nb::python_error&) {
    lost_ = true;
    throw;
  }
}

void Environments::make(const Seeds& seeds) {
  if (closed_) throw Error("these environments are closed");
  settle();
  left_ = nullptr;  // all begin anew
  require_all_back();
  if (seeds.size() != static_cast<std::size_t>(count_)) {
    throw Error(fmt::format("there are {} seeds for {} environments", seeds.size(), count_));
  }
  const bool groups = config_.family->makes_groups();
  if (groups && interruptible_ == nullptr) interruptible_ = std::make_unique<Interruptible>();
  started_ = false;  // until all are made and show their first observations
  run([this, seeds] {
    vec_.reset();  // first, so that there are never twice as many
    vec_ = std::make_unique<VecEnv>(
        config_.factory(seeds),
        VecEnvOptions{
            .count = count_, .threads = threads_, .autoreset = autoreset_, .seeds = seeds});
  });
}

nb::object Environments::start(const Seeds& seeds) {
  const Caller caller(occupancy_);
  make(seeds);
  current_ = observations_->take();
  run([this] { vec_->reset(current_->bytes()); });
  started_ = true;
  lost_ = false;
  return array(std::move(current_), rows_);
}

nb::object Environments::restart() {
  const Caller caller(occupancy_);
  require_started();
  left_ = nullptr;
  require_all_back();
  current_ = observations_->take();
  run_or_lose([this] { vec_->reset(current_->bytes()); });
  vec_->take_episodes();  // of a step that was interrupted, whose results nobody got
  lost_ = false;
  return array(std::move(current_), rows_);
}

nb::object Environments::restart_some(const Ids& ids) {
  const Caller caller(occupancy_);
  require_started();
  require_known();
  require_idle();
  current_ = observations_->take();
  std::vector<std::byte*> places;
  std::vector<bool> restarts(all_.size());
  for (const int id : ids) {
    places.push_back(current_->bytes().data() + offset(id));
    restarts.at(static_cast<std::size_t>(id)) = true;
  }
  run_or_lose([this, ids, places] { vec_->reset(ids, places); });
  vec_->take_episodes();
  for (std::size_t row = 0; row < rows_; ++row) {
    if (restarts[row / agents_]) continue;
    auto* place = current_->bytes().data() + row * spec_.observation_bytes();
    vec_->show(static_cast<int>(row), place);
  }
  return array(std::move(current_), rows_);
}

std::size_t Environments::rows_of(std::span<const int> ids) const { return ids.size() * agents_; }

/// Bytes before the observations of an environment among those of all.
std::size_t Environments::offset(int id) const {
  return static_cast<std::size_t>(id) * agents_ * spec_.observation_bytes();
}

nb::tuple Environments::step_discrete(const Discrete& actions) {
  const Caller caller(occupancy_);
  require_started();
  actions_->read(actions, all_);
  return step();
}

nb::tuple Environments::step_continuous(const Continuous& actions) {
  const Caller caller(occupancy_);
  require_started();
  actions_->read(actions, all_);
  return step();
}

nb::tuple Environments::step() {
  require_known();
  require_idle();
  current_ = observations_->take();
  try {
    run_or_lose([this] { vec_->step(actions_->rows(), current_->bytes()); });
  } catch (const nb::python_error&) {
    throw;
  } catch (...) {
    vec_->take_episodes();  // of environments that have not failed, whose results nobody gets
    throw;
  }
  return results(all_, std::move(current_));
}

std::byte* Environments::slot(int id) const {
  return const_cast<std::byte*>(sent_.data()) + offset(id);
}

void Environments::send_discrete(const Discrete& actions, const Ids& ids) {
  const Caller caller(occupancy_);
  require_started();
  require_known();
  require_idle(ids);
  actions_->read(actions, ids);
  send(ids);
}

void Environments::send_continuous(const Continuous& actions, const Ids& ids) {
  const Caller caller(occupancy_);
  require_started();
  require_known();
  require_idle(ids);
  actions_->read(actions, ids);
  send(ids);
}

/// Each environment may be sent once, so that actions have room for all of them.
void Environments::require_idle(const Ids& ids) const {
  std::vector<bool> sent(all_.size());
  for (const int id : ids) {
    if (vec_->in_flight(id) || sent[id]) {
      throw Error(fmt::format("environment {} still steps; call recv() first", id));
    }
    sent[id] = true;
  }
}

void Environments::send(const Ids& ids) {
  sent_.resize(rows_ * spec_.observation_bytes());
  slots_.clear();
  for (const int id : ids) slots_.push_back(slot(id));
  const nb::gil_scoped_release without_gil;
  vec_->send(ids, actions_->rows(), slots_);
}

nb::tuple Environments::receive(int at_least) {
  const Caller caller(occupancy_);
  require_started();
  if (left_) std::rethrow_exception(std::exchange(left_, nullptr));
  // Steps that an interrupted call has fetched come first.
  const int fetched = static_cast<int>(ready_.size());
  const int there = fetched + in_flight();
  if (there == 0) throw Error("no environment steps; call send() first");
  if (at_least == 0) at_least = there;
  if (at_least > there) {
    throw Error(fmt::format("recv({}) would wait forever: {} environments step", at_least, there));
  }
  if (fetched == 0) current_ = observations_->take();
  receiving_ = true;
  if (fetched < at_least) run([this, missing = at_least - fetched] { fetch(missing); });
  receiving_ = false;
  const auto ids = std::exchange(ready_, {});
  return nb::make_tuple(nb::cast(ids), results(ids, std::move(current_)));
}

void Environments::fetch(int at_least) {
  const auto ready = vec_->receive(at_least);
  const auto bytes = agents_ * spec_.observation_bytes();
  for (const int id : ready) {
    std::memcpy(current_->bytes().data() + ready_.size() * bytes, slot(id), bytes);
    ready_.push_back(id);
  }
}

nb::object Environments::final_observation(int row) {
  const Caller caller(occupancy_);
  require_started();
  const auto bytes = vec_->final_observation(row);
  auto block = make_array_pool(bytes.size())->take();
  std::memcpy(block->bytes().data(), bytes.data(), bytes.size());
  auto rows = array(std::move(block), 1);
  return rows[0];
}

nb::object Environments::render(int id) {
  const Caller caller(occupancy_);
  require_started();
  require_idle();
  const auto picture = std::make_shared<Picture>();
  run([this, id, picture] { *picture = vec_->render(id); });
  if (picture->width == 0) throw Error(fmt::format("{} draws no pictures", config_.id));
  auto block = make_array_pool(picture->rgb.size())->take();
  std::memcpy(block->bytes().data(), picture->rgb.data(), picture->rgb.size());
  const std::size_t shape[] = {static_cast<std::size_t>(picture->height),
                               static_cast<std::size_t>(picture->width), 3};
  auto* data = block->bytes().data();
  return nb::cast(
      nb::ndarray<nb::numpy, std::uint8_t>(data, 3, shape, std::move(block).to_owner()));
}

void Environments::refuse() {
  if (occupancy_.forked()) return;
  closed_ = true;
  if (interruptible_ != nullptr) interruptible_->refuse();
}

void Environments::close() {
  if (occupancy_.forked()) return;
  const Caller caller(occupancy_);
  if (interruptible_ != nullptr && interruptible_->refused() && interruptible_->busy()) {
    // The interpreter ends, and the call that goes on uses this object, which therefore stays. The
    // other processes see that this one has ended.
    nb::find(this).release();
    return;
  }
  closed_ = true;
  abandon();
  settle();
  current_ = {};
  observations_ = make_array_pool(0);  // arrays that Python has keep the memory they use
  numbers_ = make_array_pool(0);
  const nb::gil_scoped_release without_gil;  // it takes two seconds at most
  vec_.reset();
  interruptible_.reset();
}

nb::object Environments::array(ArrayPool::Lent block, std::size_t rows) const {
  auto shape = shape_;
  shape.front() = rows;
  void* data = block->bytes().data();
  const auto owner = std::move(block).to_owner();
  if (spec_.dtype == DType::u8) {
    return nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(data, shape.size(), shape.data(), owner));
  }
  return nb::cast(nb::ndarray<nb::numpy, float>(data, shape.size(), shape.data(), owner));
}

nb::tuple Environments::results(std::span<const int> ids, ArrayPool::Lent observations) {
  const auto rows = rows_of(ids);
  auto block = numbers_->take();
  auto* rewards = reinterpret_cast<double*>(block->bytes().data());
  auto* terminated = reinterpret_cast<bool*>(rewards + rows_);
  auto* truncated = terminated + rows_;
  bool ended = false;
  for (std::size_t k = 0; k < rows; ++k) {
    const int row = ids[k / agents_] * static_cast<int>(agents_) + static_cast<int>(k % agents_);
    const auto& result = vec_->result(row);
    rewards[k] = vec_->reward(row);
    terminated[k] = result.terminated;
    truncated[k] = result.truncated;
    ended = ended || result.terminated || result.truncated || result.game_over;
  }
  nb::object events = nb::none();
  if (ended) {
    nb::list games;
    for (const auto& game : vec_->take_episodes()) {
      const auto k = std::ranges::find(ids, game.env) - ids.begin();
      // A game whose end was followed by a failed reset has no row: its step was an error.
      if (k == std::ssize(ids)) continue;
      games.append(nb::make_tuple(k, game.episode_return, game.steps));
    }
    events = std::move(games);
  }
  const auto owner = std::move(block).to_owner();
  return nb::make_tuple(array(std::move(observations), rows),
                        nb::cast(nb::ndarray<nb::numpy, double>(rewards, 1, &rows, owner)),
                        nb::cast(nb::ndarray<nb::numpy, bool>(terminated, 1, &rows, owner)),
                        nb::cast(nb::ndarray<nb::numpy, bool>(truncated, 1, &rows, owner)), events);
}

}  // namespace tandem::python
