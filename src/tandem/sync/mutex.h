// The standard library's locks, annotated for the compiler that checks their use (annotations.h).
#pragma once

#include <mutex>
#include <shared_mutex>

#include "tandem/sync/annotations.h"

namespace tandem {

/// A std::mutex, whose calls these are. Safe to use from many threads.
class TANDEM_CAPABILITY("mutex") Mutex {
 public:
  /// Waits until no other thread holds it.
  void lock() TANDEM_ACQUIRE() { mutex_.lock(); }
  /// Lets go; by the thread that holds it.
  void unlock() TANDEM_RELEASE() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

/// A std::shared_mutex: one writer or many readers. Safe to use from many threads.
class TANDEM_CAPABILITY("mutex") SharedMutex {
 public:
  /// As the writer: waits until no other thread holds it.
  void lock() TANDEM_ACQUIRE() { mutex_.lock(); }
  /// Lets go; by the writer.
  void unlock() TANDEM_RELEASE() { mutex_.unlock(); }
  /// As a reader: waits until no writer holds it.
  void lock_shared() TANDEM_ACQUIRE_SHARED() { mutex_.lock_shared(); }
  /// Lets go; by a reader.
  void unlock_shared() TANDEM_RELEASE_SHARED() { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

/// Holds any lock for as long as it lives. Belongs to one thread.
template <class Lockable>
class TANDEM_SCOPED_CAPABILITY Lock {
 public:
  /// Takes the lock; the destructor lets go of it.
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
  /// Takes the lock as a reader; the destructor lets go of it.
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
  /// Lets go of the lock where it is held.
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
  /// Lets go of the lock.
  void unlock() TANDEM_RELEASE() {
    held_ = false;
    mutex_.unlock();
  }

 private:
  Mutex& mutex_;
  bool held_ = true;
};

}  // namespace tandem
