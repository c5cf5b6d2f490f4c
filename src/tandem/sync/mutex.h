// The standard library's locks, annotated so that Clang can check their use (annotations.h).
#pragma once

#include <mutex>
#include <shared_mutex>

#include "tandem/sync/annotations.h"

namespace tandem {

/// A std::mutex with annotated members. Safe to use from many threads.
class TANDEM_CAPABILITY("mutex") Mutex {
 public:
  /// Takes the lock as soon as no other thread holds it.
  void lock() TANDEM_ACQUIRE() { mutex_.lock(); }
  /// Releases the lock, which the calling thread must hold.
  void unlock() TANDEM_RELEASE() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

/// A std::shared_mutex: one writer or many readers. Safe to use from many threads.
class TANDEM_CAPABILITY("mutex") SharedMutex {
 public:
  /// Takes the lock as the writer, as soon as no other thread holds it.
  void lock() TANDEM_ACQUIRE() { mutex_.lock(); }
  /// Releases the writer's lock.
  void unlock() TANDEM_RELEASE() { mutex_.unlock(); }
  /// Takes the lock as a reader, as soon as no writer holds it.
  void lock_shared() TANDEM_ACQUIRE_SHARED() { mutex_.lock_shared(); }
  /// Releases a reader's lock.
  void unlock_shared() TANDEM_RELEASE_SHARED() { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

/// Holds any lock for as long as it lives. Belongs to one thread.
template <class Lockable>
class TANDEM_SCOPED_CAPABILITY Lock {
 public:
  /// Takes the lock; the destructor releases it.
  explicit Lock(Lockable& mutex) TANDEM_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~Lock() TANDEM_RELEASE() { mutex_.unlock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Lockable& mutex_;
};

/// Holds a SharedMutex as a reader for as long as it lives. Belongs to one thread.
class TANDEM_SCOPED_CAPABILITY ReadLock {
 public:
  /// Takes the lock as a reader; the destructor releases it.
  explicit ReadLock(SharedMutex& mutex) TANDEM_ACQUIRE_SHARED(mutex) : mutex_(mutex) {
    mutex_.lock_shared();
  }
  ~ReadLock() TANDEM_RELEASE() { mutex_.unlock_shared(); }
  ReadLock(const ReadLock&) = delete;
  ReadLock& operator=(const ReadLock&) = delete;

 private:
  SharedMutex& mutex_;
};

/// A Lock that can be released and taken again, by its owner or by a std::condition_variable_any
/// that waits on it. Belongs to one thread.
class TANDEM_SCOPED_CAPABILITY WaitLock {
 public:
  /// Takes the lock.
  explicit WaitLock(Mutex& mutex) TANDEM_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  /// Releases the lock if it is held.
  ~WaitLock() TANDEM_RELEASE() {
    if (held_) mutex_.unlock();
  }
  WaitLock(const WaitLock&) = delete;
  WaitLock& operator=(const WaitLock&) = delete;

  /// Takes the lock again.
  void lock() TANDEM_ACQUIRE() {
    mutex_.lock();
    held_ = true;
  }
  /// Releases the lock.
  void unlock() TANDEM_RELEASE() {
    held_ = false;
    mutex_.unlock();
  }

 private:
  Mutex& mutex_;
  bool held_ = true;
};

}  // namespace tandem
