// Ape-X in the catalogue of systems.
#pragma once

#include <memory>

#include "tandem/replay/table.h"
#include "tandem/systems/apex/apex.h"
#include "tandem/systems/system.h"

namespace tandem {

/// The system Ape-X. See System, also for thread-safety.
class ApexSystem : public System {
 public:
  [[nodiscard]] const SystemInfo& info() const override;
  [[nodiscard]] std::unique_ptr<System> clone() const override;
  [[nodiscard]] FieldList fields() override;
  void check() const override;
  void check_resume(const Checkpoint& checkpoint) const override;
  [[nodiscard]] Requirements requirements() const override;
  [[nodiscard]] bool repeatable() const override;
  [[nodiscard]] std::int64_t envs() const override;
  [[nodiscard]] Batching batching() const override;
  [[nodiscard]] ThreadPattern thread_pattern(int threads) const override;
  [[nodiscard]] std::optional<double> lag_updates() const override;
  [[nodiscard]] std::string threads_key() const override;
  [[nodiscard]] std::vector<std::vector<std::string>> variants(int cores) const override;
  [[nodiscard]] std::vector<std::vector<std::string>> sleeping_variants(
      std::int64_t envs) const override;
  void set_update(const UpdateShape& shape) override;
  void prepare_to_measure() override;
  [[nodiscard]] MeasuredCosts measure_costs(const TrainingContext& context,
                                            const nlohmann::ordered_json& means, int cores,
                                            double seconds) const override;
  void train(TrainingContext& context) const override;

  ApexConfig config;
  ReplayConfig replay;
};

}  // namespace tandem
