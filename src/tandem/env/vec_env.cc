#include "tandem/env/vec_env.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "tandem/env/stacked_env.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/dispatch.h"
#include "tandem/sync/workers.h"

namespace tandem {
namespace {

// Runs an action on an environment; its errors say which one it was.
template <class Body>
void naming_environment(int index, Body body) {
  try {
    body();
  } catch (const Error& error) {
    throw Error("environment " + std::to_string(index) + ": " + error.what());
  } catch (const std::exception& bug) {
    throw std::runtime_error("environment " + std::to_string(index) + ": " + bug.what());
  }
}

bool same_shapes(const EnvSpec& a, const EnvSpec& b) {
  return a.dtype == b.dtype && a.frame_shape == b.frame_shape && a.stack == b.stack &&
         a.num_actions == b.num_actions && a.action_dims() == b.action_dims();
}

}  // namespace

class VecEnv::Impl {
 public:
  Impl(const EnvFactory& factory, const VecEnvOptions& options);

  [[nodiscard]] int size() const { return static_cast<int>(slots_.size()); }
  [[nodiscard]] std::span<const int> all() const { return all_; }
  [[nodiscard]] StackedEnv& env(int id) { return *slots_.at(id).env; }
  [[nodiscard]] bool in_flight(int id) const { return slots_[id].in_flight; }

  /// Throws when any environment is in flight.
  void require_idle(const char* call) const;

  /// A reset or a step is requested for environments one by one, and then started for all at once.
  void ask_reset(int id, std::byte* observation) {
    ask(id, Slot::Request::reset, observation);
    forget_error(id);
  }
  void ask_step(int id, const Action& action, std::byte* observation);
  void start(std::span<const int> ids);

  /// To be called when the environment has been started anew.
  void forget_error(int id) { slots_[id].error = nullptr; }

  std::span<const int> receive(int at_least);

  /// Waits for all environments in flight; throws the error of the first one that has an error.
  void finish();

  /// The observation of environment `id` among all observations.
  [[nodiscard]] std::byte* row(std::span<std::byte> observations, int id) {
    return observations.data() + static_cast<std::size_t>(id) * env(id).spec().observation_bytes();
  }

 private:
  // A request to an environment, and its result. It belongs to the caller's thread except between
  // Dispatch::post and Dispatch::done.
  struct Slot {
    std::optional<StackedEnv> env;
    enum class Request { reset, step } request = Request::step;
    Action action;
    std::vector<float> continuous;  // a copy of the action: the caller's may be gone before the
                                    // step
    std::byte* observation = nullptr;
    std::exception_ptr error;  // stays until the next reset

    bool in_flight = false;  // used by the caller alone
  };

  void construct(const EnvFactory& factory, const VecEnvOptions& options);
  Slot& ask(int id, Slot::Request request, std::byte* observation);
  void serve(int id) noexcept;
  void work();
  [[nodiscard]] bool ready(int id) const;
  void collect(int id);

  std::vector<Slot> slots_;
  std::vector<int> all_;  // 0, 1, ...
  std::vector<int> received_;
  int in_flight_count_ = 0;
  std::optional<Dispatch> dispatch_;  // empty: steps in the caller's thread
  Crew crew_;                         // last, because its threads use the members above
};

VecEnv::Impl::Impl(const EnvFactory& factory, const VecEnvOptions& options)
    : slots_(options.count), all_(options.count) {
  if (options.count < 1) throw std::logic_error("VecEnv: no environments");
  std::iota(all_.begin(), all_.end(), 0);
  received_.reserve(slots_.size());
  construct(factory, options);
  if (options.threads == 0) return;
  dispatch_.emplace(size(), crew_.stop_token());
  crew_.spawn("env", std::min(options.threads, size()), [this](int) { work(); });
}

void VecEnv::Impl::construct(const EnvFactory& factory, const VecEnvOptions& options) {
  // Loading a game takes milliseconds; there may be hundreds.
  Workers(std::max(1, options.threads)).parallel_for(size(), [&](int id) {
    const int index = options.first + id;
    naming_environment(index, [&] { slots_[id].env.emplace(factory(index), options.seed, index); });
  });
  for (auto& slot : slots_) {
    if (!same_shapes(slot.env->spec(), slots_[0].env->spec())) {
      throw Error("environment " + std::to_string(slot.env->index()) +
                  ": its observations or actions differ from those of the first environment");
    }
    slot.continuous.resize(slot.env->spec().action_low.size());
  }
}

void VecEnv::Impl::require_idle(const char* call) const {
  if (in_flight_count_ == 0) return;
  throw std::logic_error(std::string("VecEnv::") + call + ": environments are still stepping");
}

auto VecEnv::Impl::ask(int id, Slot::Request request, std::byte* observation) -> Slot& {
  auto& slot = slots_.at(id);
  if (slot.in_flight) throw std::logic_error("VecEnv::send: the environment is still stepping");
  slot.in_flight = true;
  ++in_flight_count_;
  slot.request = request;
  slot.observation = observation;
  return slot;
}

void VecEnv::Impl::ask_step(int id, const Action& action, std::byte* observation) {
  auto& slot = ask(id, Slot::Request::step, observation);
  slot.action = action;
  if (slot.continuous.empty()) return;
  if (action.continuous.size() != slot.continuous.size()) {
    throw std::logic_error("VecEnv::send: an action of another size");
  }
  std::copy(action.continuous.begin(), action.continuous.end(), slot.continuous.begin());
  slot.action.continuous = slot.continuous;
}

void VecEnv::Impl::start(std::span<const int> ids) {
  if (dispatch_) return dispatch_->post(ids);
  for (const int id : ids) serve(id);
}

void VecEnv::Impl::work() {
  for (;;) {
    const int id = dispatch_->take();
    serve(id);
    dispatch_->done(id);
  }
}

void VecEnv::Impl::serve(int id) noexcept {
  auto& slot = slots_[id];
  if (slot.error) return;
  try {
    naming_environment(slot.env->index(), [&] {
      if (slot.request == Slot::Request::reset) return slot.env->reset(slot.observation);
      slot.env->step(slot.action, slot.observation);
    });
  } catch (...) {
    slot.error = std::current_exception();
  }
}

bool VecEnv::Impl::ready(int id) const {
  return slots_[id].in_flight && (!dispatch_ || dispatch_->is_done(id));
}

void VecEnv::Impl::collect(int id) {
  if (dispatch_) dispatch_->collect(id);
  slots_[id].in_flight = false;
  --in_flight_count_;
}

std::span<const int> VecEnv::Impl::receive(int at_least) {
  if (at_least > in_flight_count_) throw std::logic_error("VecEnv::receive: more than were sent");
  if (dispatch_) dispatch_->wait_done(at_least);
  received_.clear();
  std::copy_if(all_.begin(), all_.end(), std::back_inserter(received_),
               [this](int id) { return ready(id); });
  for (const int id : received_) {
    if (!slots_[id].error) continue;
    collect(id);  // the other environments that are ready can still be received
    std::rethrow_exception(slots_[id].error);
  }
  for (const int id : received_) collect(id);
  return received_;
}

void VecEnv::Impl::finish() {
  if (dispatch_) dispatch_->wait_done(in_flight_count_);
  for (const int id : all_) collect(id);
  for (const auto& slot : slots_) {
    if (slot.error) std::rethrow_exception(slot.error);
  }
}

VecEnv::VecEnv(const EnvFactory& factory, const VecEnvOptions& options)
    : impl_(std::make_unique<Impl>(factory, options)) {}
VecEnv::~VecEnv() = default;
VecEnv::VecEnv(VecEnv&&) noexcept = default;
VecEnv& VecEnv::operator=(VecEnv&&) noexcept = default;

const EnvSpec& VecEnv::spec() const { return impl_->env(0).spec(); }
int VecEnv::size() const { return impl_->size(); }
int VecEnv::index(int id) const { return impl_->env(id).index(); }
Stream& VecEnv::stream(int id) { return impl_->env(id).stream(); }
const StepResult& VecEnv::result(int id) const { return impl_->env(id).result(); }
Picture VecEnv::render(int id) const { return impl_->env(id).env().render(); }
std::span<const std::byte> VecEnv::final_observation(int id) const {
  return impl_->env(id).final_observation();
}

void VecEnv::reset(std::span<std::byte> observations) {
  impl_->require_idle("reset");
  for (const int id : impl_->all()) impl_->ask_reset(id, impl_->row(observations, id));
  impl_->start(impl_->all());
  impl_->finish();
}

void VecEnv::step(std::span<const Action> actions, std::span<std::byte> observations) {
  impl_->require_idle("step");
  for (const int id : impl_->all()) {
    impl_->ask_step(id, actions[id], impl_->row(observations, id));
  }
  impl_->start(impl_->all());
  impl_->finish();
}

void VecEnv::send(std::span<const int> ids, std::span<const Action> actions,
                  std::span<std::byte* const> observations) {
  for (std::size_t k = 0; k < ids.size(); ++k) {
    impl_->ask_step(ids[k], actions[k], observations[k]);
  }
  impl_->start(ids);
}

std::span<const int> VecEnv::receive(int at_least) { return impl_->receive(at_least); }

std::vector<Episode> VecEnv::take_episodes() {
  std::vector<Episode> episodes;
  for (const int id : impl_->all()) {
    if (!impl_->in_flight(id)) impl_->env(id).take_episodes(episodes);
  }
  return episodes;
}

void VecEnv::save(StateWriter& writer) const {
  impl_->require_idle("save");
  writer.put(static_cast<std::uint64_t>(size()));
  for (const int id : impl_->all()) {
    naming_environment(impl_->env(id).index(), [&] { impl_->env(id).save(writer); });
  }
}

void VecEnv::load(StateReader& reader, std::span<std::byte> observations) {
  impl_->require_idle("load");
  if (reader.get<std::uint64_t>() != static_cast<std::uint64_t>(size())) {
    throw Error("the saved state is of another number of environments");
  }
  for (const int id : impl_->all()) {
    naming_environment(impl_->env(id).index(),
                       [&] { impl_->env(id).load(reader, impl_->row(observations, id)); });
    impl_->forget_error(id);
  }
}

}  // namespace tandem
