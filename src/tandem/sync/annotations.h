// Macros that tell Clang's -Wthread-safety about locks; `make lint` runs it. Empty for other
// compilers.
#pragma once

/// Expands to the attribute for Clang, and to nothing for other compilers.
#if defined(__clang__)
#define TANDEM_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define TANDEM_ATTRIBUTE(attribute)
#endif

/// Marks a class that is a lock.
#define TANDEM_CAPABILITY(name) TANDEM_ATTRIBUTE(capability(name))
/// Marks a class whose objects hold a lock for as long as they live.
#define TANDEM_SCOPED_CAPABILITY TANDEM_ATTRIBUTE(scoped_lockable)

/// Marks a member that may be read and written only with the lock held.
#define TANDEM_GUARDED_BY(lock) TANDEM_ATTRIBUTE(guarded_by(lock))

/// Marks a function, or a lambda, whose caller must hold the lock.
#define TANDEM_REQUIRES(...) TANDEM_ATTRIBUTE(requires_capability(__VA_ARGS__))
/// Marks a function whose caller must not hold the lock.
#define TANDEM_EXCLUDES(...) TANDEM_ATTRIBUTE(locks_excluded(__VA_ARGS__))

/// Marks a function that takes the lock. Without an argument, here and below, the lock is the
/// object.
#define TANDEM_ACQUIRE(...) TANDEM_ATTRIBUTE(acquire_capability(__VA_ARGS__))
/// Marks a function that takes the lock as a reader.
#define TANDEM_ACQUIRE_SHARED(...) TANDEM_ATTRIBUTE(acquire_shared_capability(__VA_ARGS__))
/// Marks a function that releases the lock.
#define TANDEM_RELEASE(...) TANDEM_ATTRIBUTE(release_capability(__VA_ARGS__))
/// Marks a function that releases a reader's lock.
#define TANDEM_RELEASE_SHARED(...) TANDEM_ATTRIBUTE(release_shared_capability(__VA_ARGS__))

/// Marks a function whose locks the compiler cannot follow; a comment there says why it is correct.
#define TANDEM_NO_THREAD_SAFETY_ANALYSIS TANDEM_ATTRIBUTE(no_thread_safety_analysis)
