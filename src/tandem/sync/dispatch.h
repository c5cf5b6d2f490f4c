// Hands numbered jobs to worker threads and collects them when they are done.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "tandem/sync/mutex.h"

namespace tandem {

/// A job is a number in [0, capacity), and is posted again only after it was collected. One caller
/// posts and collects jobs; any number of workers take and finish them. After take(), a worker sees
/// everything that the caller wrote before post(); after collect(), the caller sees everything that
/// the worker wrote before done(). Locks only to post, to sleep and to wake, not for each job, and
/// allocates nothing. Blocking calls throw Stopped once `stop` is requested.
class Dispatch {
 public:
  Dispatch(int capacity, std::stop_token stop);

  /// For the caller: hands these jobs to the workers, which take them in this order. Wakes up to
  /// `sleepers` workers that sleep; 0 leaves the jobs to those that are awake.
  void post(std::span<const int> jobs, int sleepers);

  /// For anyone: the next job; empty if none waits.
  std::optional<int> try_take();

  /// For the caller: waits until at least `count` jobs are done and not collected.
  void wait_done(int count);

  /// For the caller: whether this job is done.
  [[nodiscard]] bool is_done(int job) const { return done_[job].load(std::memory_order_acquire); }

  /// For the caller: takes back a job that is done.
  void collect(int job);

  /// For a worker: waits for the next job.
  int take();

  /// For a worker: reports that its job is done.
  void done(int job);

 private:
  const std::stop_token stop_;
  Mutex mutex_;  // guards no member: a thread holds it to check once more before it sleeps
  std::condition_variable_any posted_changed_;
  std::condition_variable_any done_changed_;

  // A ring of the posted jobs: [taken_, posted_) wait for a worker.
  std::vector<std::atomic<int>> ring_;
  std::atomic<std::uint64_t> posted_ = 0;
  std::atomic<std::uint64_t> taken_ = 0;

  std::vector<std::atomic<bool>> done_;  // by job
  std::atomic<int> done_count_ = 0;
  std::atomic<int> wanted_;  // the number of done jobs that wakes the caller
};

}  // namespace tandem
