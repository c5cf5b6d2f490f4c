// Steps environments in worker threads, or in the caller's thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tandem/env/env_record.h"
#include "tandem/env/stepper.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/dispatch.h"

namespace tandem {

/// A stepper of environments in this process. Any free thread takes the next environment.
class ThreadStepper : public Stepper {
 public:
  /// envs[i] belongs to records[i], which must outlive the stepper. Without threads, the caller's
  /// thread steps.
  ThreadStepper(std::vector<std::unique_ptr<Env>> envs, std::span<EnvRecord> records, int threads);

  void start(std::span<const int> ids) override;
  /// The caller's thread steps environments, too, in place of one of the workers.
  void run(std::span<const int> ids) override;
  void wait(int count) override;
  [[nodiscard]] bool done(int id) const override;
  void collect(int id) override;
  [[nodiscard]] Env* env(int id) override { return envs_[static_cast<std::size_t>(id)].get(); }
  [[nodiscard]] Picture render(int id) override { return env(id)->render(); }

 private:
  void serve(int id) noexcept;
  void work();

  std::vector<std::unique_ptr<Env>> envs_;
  std::span<EnvRecord> records_;
  int threads_ = 0;
  std::optional<Dispatch> dispatch_;  // empty: steps in the caller's thread
  Crew crew_;                         // last, because its threads use the members above
};

/// Makes the environments of `options` with its number of threads. Throws Error when one cannot be
/// made, or differs from the first in its observations or actions.
std::vector<std::unique_ptr<Env>> make_envs(const EnvFactory& factory,
                                            const VecEnvOptions& options);

}  // namespace tandem
