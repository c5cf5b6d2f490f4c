// The part of a VecEnv that carries out requests.
#pragma once

#include <span>

#include "tandem/env/env.h"

namespace tandem {

/// Carries out the requests of a VecEnv's records. One caller's thread uses it; a record belongs to
/// the stepper from start() until done() tells otherwise. The destructor ends steps in flight.
class Stepper {
 public:
  virtual ~Stepper() = default;

  /// Starts the requests of these records.
  virtual void start(std::span<const int> ids) = 0;

  /// Starts the requests of these records, all that are in flight then, and waits for them.
  virtual void run(std::span<const int> ids) = 0;

  /// Waits until at least `count` records are done and not collected.
  virtual void wait(int count) = 0;

  /// Whether the request of a record in flight is done.
  [[nodiscard]] virtual bool done(int id) const = 0;

  /// Takes back a record that is done.
  virtual void collect(int id) = 0;

  /// The environment of a record between its steps; null if it is not in this process.
  [[nodiscard]] virtual Env* env(int id) = 0;

  /// The picture of an environment between its steps.
  [[nodiscard]] virtual Picture render(int id) = 0;
};

}  // namespace tandem
