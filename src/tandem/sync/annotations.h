// Macros that tell Clang's -Wthread-safety about locks; `make lint` runs it. Empty for other
// compilers.
#pragma once

/// The attribute where the compiler is Clang, otherwise nothing.
#if defined(__clang__)
#define TANDEM_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define TANDEM_ATTRIBUTE(attribute)
#endif

/// A class that is a lock.
#define TANDEM_CAPABILITY(name) TANDEM_ATTRIBUTE(capability(name))
/// A class that holds a lock as long as it lives.
#define TANDEM_SCOPED_CAPABILITY TANDEM_ATTRIBUTE(scoped_lockable)

/// Marks a member that may be read and written only with the lock held.
#define TANDEM_GUARDED_BY(lock) TANDEM_ATTRIBUTE(guarded_by(lock))

/// A function, or a lambda, that is called with the lock held.
#define TANDEM_REQUIRES(...) TANDEM_ATTRIBUTE(requires_capability(__VA_ARGS__))
/// A function that is called without the lock.
#define TANDEM_EXCLUDES(...) TANDEM_ATTRIBUTE(locks_excluded(__VA_ARGS__))

/// A function that takes the lock; without an argument the object is the lock, here and below.
#define TANDEM_ACQUIRE(...) TANDEM_ATTRIBUTE(acquire_capability(__VA_ARGS__))
/// A function that takes the lock as a reader.
#define TANDEM_ACQUIRE_SHARED(...) TANDEM_ATTRIBUTE(acquire_shared_capability(__VA_ARGS__))
/// A function that lets go of the lock.
#define TANDEM_RELEASE(...) TANDEM_ATTRIBUTE(release_capability(__VA_ARGS__))
/// A function that lets go of a reader's lock.
#define TANDEM_RELEASE_SHARED(...) TANDEM_ATTRIBUTE(release_shared_capability(__VA_ARGS__))

/// Marks a function whose locks the compiler cannot follow; a comment says why it is right.
#define TANDEM_NO_THREAD_SAFETY_ANALYSIS TANDEM_ATTRIBUTE(no_thread_safety_analysis)
