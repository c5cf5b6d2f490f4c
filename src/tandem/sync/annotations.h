// Macros that tell Clang's -Wthread-safety about locks; `make lint` runs it. Empty for other
// compilers.
#pragma once

#if defined(__clang__)
#define TANDEM_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define TANDEM_ATTRIBUTE(attribute)
#endif

/// Mark a class that is a lock, and a class that holds a lock as long as it lives.
#define TANDEM_CAPABILITY(name) TANDEM_ATTRIBUTE(capability(name))
#define TANDEM_SCOPED_CAPABILITY TANDEM_ATTRIBUTE(scoped_lockable)

/// Marks a member that may be read and written only with the lock held.
#define TANDEM_GUARDED_BY(lock) TANDEM_ATTRIBUTE(guarded_by(lock))

/// Mark a function, or a lambda, that must be called with the lock held, or without it.
#define TANDEM_REQUIRES(...) TANDEM_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define TANDEM_EXCLUDES(...) TANDEM_ATTRIBUTE(locks_excluded(__VA_ARGS__))

/// Mark a function that takes the lock, or releases it. Without an argument the object is the lock.
#define TANDEM_ACQUIRE(...) TANDEM_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define TANDEM_ACQUIRE_SHARED(...) TANDEM_ATTRIBUTE(acquire_shared_capability(__VA_ARGS__))
#define TANDEM_RELEASE(...) TANDEM_ATTRIBUTE(release_capability(__VA_ARGS__))
#define TANDEM_RELEASE_SHARED(...) TANDEM_ATTRIBUTE(release_shared_capability(__VA_ARGS__))

/// Marks a function whose locks the compiler cannot follow; a comment says why it is right.
#define TANDEM_NO_THREAD_SAFETY_ANALYSIS TANDEM_ATTRIBUTE(no_thread_safety_analysis)
