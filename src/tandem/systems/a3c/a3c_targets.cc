#include "tandem/systems/a3c/a3c_targets.h"

#include <algorithm>
#include <cstddef>

#include "tandem/base/error.h"
#include "tandem/base/state.h"
#include "tandem/systems/common/learner_state.h"
#include "tandem/systems/common/thread_state.h"

namespace tandem {
namespace {

constexpr auto kSteps = "target_steps";  // the blob with the threads' numbers of steps
constexpr auto kTarget = "target";       // the tensors with their theta-

}  // namespace

A3cTargets::A3cTargets(const A3cConfig& config, std::span<const float> theta, std::int64_t interval,
                       std::int64_t steps, const Checkpoint* resume)
    : own_(config.own_targets && interval > 0) {
  if (!own_) {
    targets_.push_back(std::make_unique<TargetParameters>(theta, interval, steps));
    if (resume != nullptr) load_target(*resume, *targets_.front());
    return;
  }
  const auto threads = static_cast<std::size_t>(config.learners);
  steps_.resize(threads);
  if (resume != nullptr) {
    StateReader reader(resume->blob(kSteps));
    steps_ = reader.get_values<std::int64_t>();
    if (steps_.size() != threads) throw Error("the checkpoint has another number of threads");
  }
  const auto own_interval = std::max<std::int64_t>(1, interval / config.learners);
  for (std::size_t i = 0; i < threads; ++i) {
    targets_.push_back(std::make_unique<TargetParameters>(theta, own_interval, steps_[i]));
    if (resume != nullptr) load_target(*resume, *targets_.back(), state_name(kTarget, i));
  }
}

void A3cTargets::stepped(int thread, std::int64_t own, std::int64_t all,
                         const TargetParameters::ReadTheta& read_theta) {
  if (own_) all = steps_[index(thread)] += own;
  targets_[index(thread)]->refresh(all, read_theta);
}

void A3cTargets::save(Checkpoint& checkpoint) {
  if (!own_) return save_target(*targets_.front(), checkpoint);
  StateWriter writer;
  writer.put_values(steps_);
  checkpoint.add_blob(kSteps, writer.bytes());
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    save_target(*targets_[i], checkpoint, state_name(kTarget, i));
  }
}

}  // namespace tandem
