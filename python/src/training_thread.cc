#include "training_thread.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <vector>

#include "signals_blocked.h"
#include "tandem/base/error.h"
#include "tandem/base/mendable.h"
#include "tandem/cluster/roles.h"
#include "tandem/io/settings.h"
#include "tandem/run/run_directory.h"
#include "tandem/sync/crew.h"
#include "tandem/trainer/config_request.h"
#include "tandem/trainer/training.h"

namespace tandem::python {
namespace {

/// Blocks signals in this thread and in the threads that it starts, so that the process handles
/// them elsewhere: code of oneDNN does not survive a handler on its thread's stack.
void take_no_signals() {
  const sigset_t signals = all_but_faults();
  pthread_sigmask(SIG_SETMASK, &signals, nullptr);
}

/// Whether the user names an environment in Python, and in which interpreter it runs is open.
bool needs_python(const TrainingOrder& order, const ConfigRequest& request) {
  bool in_python = false;
  bool named = false;
  const auto look = [&](const std::string& key, const std::string& text) {
    if (key == "env.id") in_python = text.starts_with("gym:");
    named = named || (key == "env.python" && !text.empty());
  };
  for (const auto& setting : request.base_settings.value_or(std::vector<Setting>())) {
    if (const auto* text = std::get_if<std::string>(&setting.value)) look(setting.key, *text);
  }
  for (const auto& [key, text] : order.settings) look(key, text);
  return in_python && !named;
}

ConfigRequest request_of(const TrainingOrder& order) {
  ConfigRequest request{.system = order.system, .base = order.base, .settings = {}};
  if (!order.resume) request.read_base();
  if (!order.resume && needs_python(order, request)) {
    request.settings.push_back({"env.python", order.python, "the present Python"});
  }
  for (const auto& [key, text] : order.settings) {
    request.settings.push_back({key, text, fmt::format("{}={}", key, text)});
  }
  return request;
}

/// Replaces the interpreter of environments in Python by the present one if it is not here.
void require_python(Config& config, const std::string& present) {
  const auto fields = config.fields();
  const auto field = std::ranges::find(fields, "env.python", &Field::key);
  if (field == fields.end()) return;
  auto& python = *std::get<std::string*>(field->target);
  if (python.empty() || lacks_python(python)) python = present;
}

Config config_of(const TrainingOrder& order) {
  if (!order.resume) return request_of(order).load();
  require_run(order.folder);
  const auto request = request_of(order);
  auto config = load_resumed(RunPaths{order.folder}.config(), request);
  // The run may come from another machine, or its interpreter is gone. An interpreter that the user
  // names now must be there, but the learner of a cluster may go on on another machine.
  const bool named = request.sets("env.python", config.fields());
  if (!named || order.link != nullptr) require_python(config, order.python);
  return config;
}

std::filesystem::path folder_of(const TrainingOrder& order, const Config& config) {
  if (!order.folder.empty()) return std::filesystem::absolute(order.folder);
  return std::filesystem::absolute(default_run_folder(config.system_name, config.env.id,
                                                      static_cast<std::uint64_t>(config.run.seed),
                                                      std::chrono::system_clock::now()));
}

/// A refused training leaves no empty folder behind that this code has made.
tandem::Training build(const TrainingOrder& order, const Config& config,
                       const std::filesystem::path& folder,
                       const std::shared_ptr<RunControl>& control) {
  try {
    return {config, folder, order.resume, control};
  } catch (...) {
    std::error_code ignored;
    if (order.folder.empty()) std::filesystem::remove(folder, ignored);
    throw;
  }
}

/// The exception that is being handled, as an Error if the user can solve its problem.
std::exception_ptr present_error() {
  try {
    throw;
  } catch (const Stopped&) {
    return std::make_exception_ptr(Error("the training was stopped before it began"));
  } catch (const std::exception& error) {
    const auto words = mendable(error);
    return words ? std::make_exception_ptr(Error(*words)) : std::current_exception();
  } catch (...) {
    return std::current_exception();
  }
}

std::int64_t number_of(Config& config, const std::string& key) {
  const auto fields = config.fields();
  const auto field = std::ranges::find(fields, key, &Field::key);
  return *std::get<std::int64_t*>(field->target);
}

}  // namespace

ClusterFacts cluster_facts(const TrainingOrder& order) {
  auto config = config_of(order);
  const auto& way = cluster_way_of(*config.system);
  if (config.run.device != "cpu") {
    throw Error("a cluster computes networks on CPUs; leave run.device out");
  }
  return {.system = config.system_name,
          .folder = folder_of(order, config).string(),
          .actors = number_of(config, way.actors_key()),
          .has_shards = way.has_shards()};
}

TrainingThread::TrainingThread(TrainingOrder order)
    : thread_([this, order = std::move(order)] { serve(order); }) {}

TrainingThread::~TrainingThread() {
  control_->stop();
  join();
}

void TrainingThread::abandon() {
  const std::lock_guard lock(mutex_);
  if (facts_) return;  // it needs its environments until its last checkpoint
  abandoned_ = true;
  if (family_ != nullptr) family_->abandon();
}

void TrainingThread::join() {
  const std::lock_guard lock(joining_);
  if (thread_.joinable()) thread_.join();
}

void TrainingThread::serve(const TrainingOrder& order) noexcept {
  take_no_signals();
  pthread_setname_np(pthread_self(), "training");
  std::exception_ptr error;
  try {
    train(order);
  } catch (...) {
    error = present_error();
  }
  control_->end("the training has ended");
  {
    const std::lock_guard lock(mutex_);
    error_ = error;
    ended_ = true;
  }
  changed_.notify_all();
}

void TrainingThread::train(const TrainingOrder& order) {
  auto config = config_of(order);
  if (order.link != nullptr) config = on_cluster(config, order.link);
  const auto folder = folder_of(order, config);
  {
    const std::lock_guard lock(mutex_);
    if (abandoned_) throw Stopped();
    family_ = config.env.family;
  }
  auto training = build(order, config, folder, control_);
  {
    const std::lock_guard lock(mutex_);
    facts_ = {folder.string(), config.preset, config.run.steps};
  }
  changed_.notify_all();
  training.run(
      {.progress = nullptr, .observe = [this](const nlohmann::ordered_json& line) { put(line); }});
}

void TrainingThread::put(const nlohmann::ordered_json& line) {
  auto text = line.dump();
  {
    const std::lock_guard lock(mutex_);
    if (lines_.size() == kMostLines) lines_.pop_front();
    lines_.push_back(std::move(text));
  }
  changed_.notify_all();
}

template <class Ready>
bool TrainingThread::wait(std::unique_lock<std::mutex>& lock, double seconds, Ready ready) {
  return changed_.wait_for(lock, std::chrono::duration<double>(seconds), ready);
}

std::optional<TrainingFacts> TrainingThread::wait_until_built(double seconds) {
  std::unique_lock lock(mutex_);
  wait(lock, seconds, [this] { return facts_ || ended_; });
  if (!facts_ && error_) std::rethrow_exception(std::exchange(error_, nullptr));
  return facts_;
}

std::optional<std::string> TrainingThread::take_line(double seconds) {
  std::unique_lock lock(mutex_);
  wait(lock, seconds, [this] { return !lines_.empty() || ended_; });
  if (lines_.empty()) return std::nullopt;
  auto line = std::move(lines_.front());
  lines_.pop_front();
  return line;
}

bool TrainingThread::wait_until_ended(double seconds) {
  {
    std::unique_lock lock(mutex_);
    if (!wait(lock, seconds, [this] { return ended_; })) return false;
  }
  join();  // it returns at once
  return true;
}

bool TrainingThread::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

std::exception_ptr TrainingThread::take_error() {
  const std::lock_guard lock(mutex_);
  return std::exchange(error_, nullptr);
}

}  // namespace tandem::python
