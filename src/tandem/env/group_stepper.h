// Steps environments that exist in a group.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tandem/env/env_group.h"
#include "tandem/env/env_record.h"
#include "tandem/env/stepper.h"

namespace tandem {

/// A stepper that hands all requests to a group.
class GroupStepper : public Stepper {
 public:
  /// Environment i of the group belongs to records[i], which must outlive the stepper.
  GroupStepper(std::unique_ptr<EnvGroup> group, std::span<EnvRecord> records);

  void start(std::span<const int> ids) override;
  void run(std::span<const int> ids) override;
  void wait(int count) override;
  [[nodiscard]] bool done(int id) const override { return states_[index(id)] == State::done; }
  void collect(int id) override;
  [[nodiscard]] Env* env(int /*id*/) override { return nullptr; }
  [[nodiscard]] Picture render(int id) override { return group_->render(id); }

 private:
  enum class State { idle, stepping, done };

  static std::size_t index(int id) { return static_cast<std::size_t>(id); }
  void finish(int id);
  void take_answers(int at_least);

  std::span<EnvRecord> records_;
  std::vector<State> states_;
  std::vector<GroupRequest> requests_;
  int done_count_ = 0;
  std::unique_ptr<EnvGroup> group_;  // last, because it writes to the records until it ends
};

}  // namespace tandem
