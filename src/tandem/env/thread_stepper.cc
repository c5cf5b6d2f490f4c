#include "tandem/env/thread_stepper.h"

#include <algorithm>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/sync/workers.h"

namespace tandem {
namespace {

bool same_shapes(const EnvSpec& a, const EnvSpec& b) {
  return a.dtype == b.dtype && a.frame_shape == b.frame_shape && a.stack == b.stack &&
         a.num_actions == b.num_actions && a.first_action == b.first_action &&
         a.action_dims() == b.action_dims() && a.agents == b.agents;
}

}  // namespace

std::vector<std::unique_ptr<Env>> make_envs(const EnvFactory& factory,
                                            const VecEnvOptions& options) {
  std::vector<std::unique_ptr<Env>> envs(static_cast<std::size_t>(options.count));
  // Loading a game takes milliseconds; there may be hundreds.
  Workers(std::max(1, options.threads)).parallel_for(options.count, [&](int id) {
    const int index = options.first + id;
    auto& env = envs[static_cast<std::size_t>(id)];
    naming_environment(index, [&] {
      env = factory(index);
      if (env == nullptr) throw Error("its family made none");
    });
  });
  for (int id = 0; id < options.count; ++id) {
    if (same_shapes(envs[static_cast<std::size_t>(id)]->spec(), envs.front()->spec())) continue;
    throw Error("environment " + std::to_string(options.first + id) +
                ": its observations or actions differ from those of the first environment");
  }
  return envs;
}

ThreadStepper::ThreadStepper(std::vector<std::unique_ptr<Env>> envs, std::span<EnvRecord> records,
                             int threads)
    : envs_(std::move(envs)), records_(records) {
  const auto count = static_cast<int>(envs_.size());
  threads_ = std::min(threads, count);
  if (threads_ == 0) return;
  dispatch_.emplace(count, crew_.stop_token());
  crew_.spawn("env", threads_, [this](int) { work(); });
}

void ThreadStepper::serve(int id) noexcept {
  records_[static_cast<std::size_t>(id)].serve(*envs_[static_cast<std::size_t>(id)]);
}

void ThreadStepper::start(std::span<const int> ids) {
  if (dispatch_) return dispatch_->post(ids, threads_);
  for (const int id : ids) serve(id);
}

void ThreadStepper::run(std::span<const int> ids) {
  if (!dispatch_) return start(ids);
  dispatch_->post(ids, threads_ - 1);
  while (const auto id = dispatch_->try_take()) {
    serve(*id);
    dispatch_->done(*id);
  }
  dispatch_->wait_done(static_cast<int>(ids.size()));
}

void ThreadStepper::work() {
  for (;;) {
    const int id = dispatch_->take();
    serve(id);
    dispatch_->done(id);
  }
}

void ThreadStepper::wait(int count) {
  if (dispatch_) dispatch_->wait_done(count);
}

bool ThreadStepper::done(int id) const { return !dispatch_ || dispatch_->is_done(id); }

void ThreadStepper::collect(int id) {
  if (dispatch_) dispatch_->collect(id);
}

}  // namespace tandem
