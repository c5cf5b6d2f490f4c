#include "tandem/env/vec_env.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "tandem/env/env_record.h"
#include "tandem/env/group_stepper.h"
#include "tandem/env/spec_check.h"
#include "tandem/env/thread_stepper.h"

namespace tandem {
namespace {

/// Throws Error unless it is no picture, or has the bytes that its size asks for.
void require_whole(const Picture& picture) {
  const bool none = picture.width == 0 && picture.rgb.empty();
  const bool has_size = picture.width > 0 && picture.height > 0;
  const auto width = static_cast<std::size_t>(picture.width);
  const auto height = static_cast<std::size_t>(picture.height);
  if (none || (has_size && picture.rgb.size() == 3 * width * height)) return;
  throw Error(fmt::format(
      "it drew a picture of {} x {} pixels in {} bytes; a picture has 3 bytes for each pixel",
      picture.width, picture.height, picture.rgb.size()));
}

}  // namespace

class VecEnv::Impl {
 public:
  Impl(const EnvFactory& factory, const VecEnvOptions& options);

  [[nodiscard]] const EnvSpec& spec() const { return spec_; }
  [[nodiscard]] int envs() const { return static_cast<int>(records_.size()); }
  [[nodiscard]] int agents() const { return static_cast<int>(spec_.agents); }
  [[nodiscard]] std::span<const int> all() const { return all_; }
  [[nodiscard]] EnvRecord& record(int id) { return records_.at(static_cast<std::size_t>(id)); }
  [[nodiscard]] EnvRecord& record_of(int row) { return record(row / agents()); }
  [[nodiscard]] Stepper& stepper() { return *stepper_; }
  /// The environment, which must be one that saves.
  [[nodiscard]] Env& saving_env(int id) {
    if (spec_.saves) return *stepper_->env(id);
    throw std::logic_error("VecEnv: these environments save nothing");
  }
  [[nodiscard]] bool in_flight(int id) const { return in_flight_[static_cast<std::size_t>(id)]; }

  /// Throws when any environment is in flight.
  void require_idle(const char* call) const;

  /// Throws when one of these environments has not begun: it has the state of no game.
  void require_begun(std::span<const int> ids, const char* call) const;

  /// A reset or a step is requested for environments one by one, and then started for all at once.
  void ask_reset(int id, std::byte* observation) {
    mark(id);
    record(id).ask_reset(observation);
  }
  void ask_step(int id, std::span<const Action> actions, std::byte* observation) {
    mark(id);
    record(id).ask_step(actions, observation);
  }

  /// Throws when one of these environments does not exist, is in flight, or stands here twice.
  void require_at_rest(std::span<const int> ids);

  /// Throws when one of these environments cannot take a step with its actions.
  void require_ready(std::span<const int> ids, std::span<const Action> actions);

  std::span<const int> receive(int at_least);

  /// Starts the requests of `ids`, the only ones, and waits for them; throws the error of the first
  /// one that has an error.
  void run(std::span<const int> ids);

  /// The observations of environment `id` among all observations.
  [[nodiscard]] std::byte* place(std::span<std::byte> observations, int id) const {
    const auto rows = static_cast<std::size_t>(id) * static_cast<std::size_t>(agents());
    return observations.data() + rows * spec_.observation_bytes();
  }

  /// The actions of environment ids[k] among those of `ids`.
  [[nodiscard]] std::span<const Action> actions_of(std::span<const Action> actions,
                                                   std::size_t k) const {
    const auto agents = static_cast<std::size_t>(spec_.agents);
    return actions.subspan(k * agents, agents);
  }

 private:
  void mark(int id);
  void collect(int id);

  EnvSpec spec_;
  std::vector<EnvRecord> records_;
  std::vector<bool> in_flight_;
  std::vector<bool> taken_;  // of require_at_rest()
  std::vector<int> all_;     // 0, 1, ...
  std::vector<int> received_;
  int in_flight_count_ = 0;
  std::unique_ptr<Stepper> stepper_;  // last, because it uses the records until it ends
};

VecEnv::Impl::Impl(const EnvFactory& factory, const VecEnvOptions& options) {
  if (options.count < 1) throw std::logic_error("VecEnv: no environments");
  const auto count = static_cast<std::size_t>(options.count);
  if (!options.seeds.empty() && options.seeds.size() != count) {
    throw std::logic_error("VecEnv: another number of seeds than of environments");
  }
  std::unique_ptr<EnvGroup> group;
  std::vector<std::unique_ptr<Env>> envs;
  if (factory.makes_groups()) {
    group = factory.group(options.first, options.count);
    spec_ = group->spec();
    spec_.saves = false;
  } else {
    envs = make_envs(factory, options);
    spec_ = envs.front()->spec();
  }
  require_sane(spec_);
  records_.reserve(count);
  for (int id = 0; id < options.count; ++id) records_.emplace_back(spec_, options, id);
  in_flight_.resize(count);
  taken_.resize(count);
  all_.resize(count);
  std::iota(all_.begin(), all_.end(), 0);
  received_.reserve(count);
  if (group != nullptr) {
    stepper_ = std::make_unique<GroupStepper>(std::move(group), records_);
  } else {
    stepper_ = std::make_unique<ThreadStepper>(std::move(envs), records_, options.threads);
  }
}

void VecEnv::Impl::require_idle(const char* call) const {
  if (in_flight_count_ == 0) return;
  throw std::logic_error(std::string("VecEnv::") + call + ": environments are still stepping");
}

void VecEnv::Impl::require_begun(std::span<const int> ids, const char* call) const {
  for (const int id : ids) {
    if (records_.at(static_cast<std::size_t>(id)).has_begun()) continue;
    throw std::logic_error(std::string("VecEnv::") + call + ": no reset before it");
  }
}

void VecEnv::Impl::require_at_rest(std::span<const int> ids) {
  taken_ = in_flight_;  // keeps its memory
  for (const int id : ids) {
    if (taken_.at(static_cast<std::size_t>(id))) {
      throw std::logic_error("VecEnv::send: the environment is still stepping");
    }
    taken_[static_cast<std::size_t>(id)] = true;
  }
}

void VecEnv::Impl::require_ready(std::span<const int> ids, std::span<const Action> actions) {
  const auto dims = spec_.action_low.size();
  const auto another_size = [&](const Action& action) { return action.continuous.size() != dims; };
  if (actions.size() != ids.size() * static_cast<std::size_t>(agents()) ||
      (dims > 0 && std::ranges::any_of(actions, another_size))) {
    throw std::logic_error("VecEnv::send: an action of another size");
  }
  for (const int id : ids) {
    // One that failed at its first reset answers with its error.
    const bool known = record(id).has_begun() || record(id).error() != nullptr;
    if (!known) throw std::logic_error("VecEnv::send: no reset before a step");
    if (!record(id).needs_reset()) continue;
    throw Error("environment " + std::to_string(record(id).index()) +
                ": its episode has ended; reset it before the next step");
  }
}

void VecEnv::Impl::mark(int id) {
  in_flight_[static_cast<std::size_t>(id)] = true;
  ++in_flight_count_;
}

void VecEnv::Impl::collect(int id) {
  stepper_->collect(id);
  in_flight_[static_cast<std::size_t>(id)] = false;
  --in_flight_count_;
}

std::span<const int> VecEnv::Impl::receive(int at_least) {
  if (at_least > in_flight_count_) throw std::logic_error("VecEnv::receive: more than were sent");
  stepper_->wait(at_least);
  received_.clear();
  std::ranges::copy_if(all_, std::back_inserter(received_),
                       [this](int id) { return in_flight(id) && stepper_->done(id); });
  for (const int id : received_) {
    if (!record(id).error()) continue;
    collect(id);  // the other environments that are ready can still be received
    std::rethrow_exception(record(id).error());
  }
  for (const int id : received_) collect(id);
  return received_;
}

void VecEnv::Impl::run(std::span<const int> ids) {
  stepper_->run(ids);
  for (const int id : ids) collect(id);
  for (const int id : ids) {
    if (record(id).error()) std::rethrow_exception(record(id).error());
  }
}

VecEnv::VecEnv(const EnvFactory& factory, const VecEnvOptions& options)
    : impl_(std::make_unique<Impl>(factory, options)) {}
VecEnv::~VecEnv() = default;
VecEnv::VecEnv(VecEnv&&) noexcept = default;
VecEnv& VecEnv::operator=(VecEnv&&) noexcept = default;

const EnvSpec& VecEnv::spec() const { return impl_->spec(); }
int VecEnv::envs() const { return impl_->envs(); }
int VecEnv::size() const { return impl_->envs() * impl_->agents(); }
int VecEnv::index(int row) const {
  return impl_->record_of(row).index() * impl_->agents() + row % impl_->agents();
}
Stream& VecEnv::stream(int row) { return impl_->record_of(row).stream(row % impl_->agents()); }
const StepResult& VecEnv::result(int row) const { return impl_->record_of(row).result(); }
float VecEnv::reward(int row) const { return impl_->record_of(row).reward(row % impl_->agents()); }
std::span<const std::byte> VecEnv::final_observation(int row) const {
  return impl_->record_of(row).final_observation(row % impl_->agents());
}
void VecEnv::show(int row, std::byte* observation) const {
  impl_->record_of(row).show(row % impl_->agents(), observation);
}
Picture VecEnv::render(int id) const {
  Picture picture;
  naming_environment(impl_->record(id).index(), [&] {
    picture = impl_->stepper().render(id);
    require_whole(picture);
  });
  return picture;
}

void VecEnv::reset(std::span<std::byte> observations) {
  impl_->require_idle("reset");
  for (const int id : impl_->all()) impl_->ask_reset(id, impl_->place(observations, id));
  impl_->run(impl_->all());
}

void VecEnv::reset(std::span<const int> ids, std::span<std::byte* const> observations) {
  impl_->require_idle("reset");
  impl_->require_at_rest(ids);
  for (std::size_t k = 0; k < ids.size(); ++k) impl_->ask_reset(ids[k], observations[k]);
  impl_->run(ids);
}

void VecEnv::step(std::span<const Action> actions, std::span<std::byte> observations) {
  impl_->require_idle("step");
  impl_->require_ready(impl_->all(), actions);
  for (const int id : impl_->all()) {
    const auto own = impl_->actions_of(actions, static_cast<std::size_t>(id));
    impl_->ask_step(id, own, impl_->place(observations, id));
  }
  impl_->run(impl_->all());
}

void VecEnv::send(std::span<const int> ids, std::span<const Action> actions,
                  std::span<std::byte* const> observations) {
  impl_->require_at_rest(ids);
  impl_->require_ready(ids, actions);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    impl_->ask_step(ids[k], impl_->actions_of(actions, k), observations[k]);
  }
  impl_->stepper().start(ids);
}

std::span<const int> VecEnv::receive(int at_least) { return impl_->receive(at_least); }
bool VecEnv::in_flight(int id) const { return impl_->in_flight(id); }

std::vector<Episode> VecEnv::take_episodes() {
  std::vector<Episode> episodes;
  for (const int id : impl_->all()) {
    if (!impl_->in_flight(id)) impl_->record(id).take_episodes(episodes);
  }
  return episodes;
}

StartState VecEnv::capture(int id) const {
  impl_->require_idle("capture");
  impl_->require_begun({&id, 1}, "capture");
  return impl_->record(id).capture(impl_->saving_env(id));
}

void VecEnv::begin_at(int id, const StartState& start, std::byte* observation) {
  impl_->require_idle("begin_at");
  auto& record = impl_->record(id);
  naming_environment(record.index(),
                     [&] { record.begin_at(impl_->saving_env(id), start, observation); });
}

void VecEnv::save(StateWriter& writer) const {
  impl_->require_idle("save");
  if (spec().saves) impl_->require_begun(impl_->all(), "save");
  writer.put(static_cast<std::uint64_t>(envs()));
  for (const int id : impl_->all()) {
    auto& record = impl_->record(id);
    const Env* env = spec().saves ? impl_->stepper().env(id) : nullptr;
    naming_environment(record.index(), [&] { record.save(env, writer); });
  }
}

bool VecEnv::load(StateReader& reader, std::span<std::byte> observations) {
  impl_->require_idle("load");
  if (reader.get<std::uint64_t>() != static_cast<std::uint64_t>(envs())) {
    throw Error("the saved state is of another number of environments");
  }
  for (const int id : impl_->all()) {
    auto& record = impl_->record(id);
    Env* const env = spec().saves ? impl_->stepper().env(id) : nullptr;
    naming_environment(record.index(),
                       [&] { record.load(env, reader, impl_->place(observations, id)); });
  }
  if (!spec().saves) reset(observations);
  return spec().saves;
}

}  // namespace tandem
