// Gymnasium environments in worker processes.
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tandem/env/env_group.h"
#include "tandem/env/gym/gym_options.h"
#include "tandem/env/gym/shared_memory.h"
#include "tandem/env/gym/slots.h"
#include "tandem/env/gym/worker.h"

namespace tandem {

/// Environments of Gymnasium, divided among worker processes in Python. A step costs no process
/// switch of its own: a worker steps all that it was asked, and rings once. When a worker dies or
/// hangs, its environments answer with an error until they are reset; the first reset starts a new
/// worker. docs/internals/gym.md tells how it works.
class GymGroup : public EnvGroup {
 public:
  /// Starts the workers and makes one environment for each seed. Throws Error when one cannot be
  /// made, with its traceback.
  GymGroup(std::string name, GymOptions options, std::span<const std::uint64_t> seeds);

  /// Lets idle workers close their environments, for two seconds at most, and kills the others.
  ~GymGroup() override;

  [[nodiscard]] int size() const override { return static_cast<int>(members_.size()); }
  [[nodiscard]] const EnvSpec& spec() const override { return spec_; }
  void begin(std::span<const GroupRequest> requests) override;
  std::span<const GroupAnswer> finish(int at_least) override;
  [[nodiscard]] Picture render(int env) override;

 private:
  using Time = Worker::Time;

  // An environment.
  struct Member {
    std::uint64_t seed = 0;
    std::size_t team = 0;  // that has it
    GroupRequest request;  // valid while `pending`
    bool pending = false;
    bool lost = false;  // its worker is gone: it must be reset
  };

  // A worker and its environments.
  struct Team {
    int first = 0;
    int count = 0;
    std::unique_ptr<Worker> worker;  // null: it is gone, for the reason `failure`
    std::string failure;
    std::string refused;  // why no new worker could be started for the present requests
    int pending = 0;
    bool to_ring = false;
    bool idle = false;  // whether nothing was pending before the present requests
    Time progress;      // when it last began to work or gave an answer
  };

  void divide(std::span<const std::uint64_t> seeds);
  void hire(Team& team);
  [[nodiscard]] EnvSpec welcome(Team& team);
  void require_alike(const EnvSpec& spec) const;
  void hire_again(Team& team);

  void begin_one(const GroupRequest& request);
  void set_ring(Ring ring);
  void take_ready();
  void collect(Team& team);
  [[nodiscard]] GroupAnswer answer_of(const Member& member, SlotAnswer answer) const;
  void take_frames(std::span<const std::byte> from, std::span<std::byte> to) const;
  void wait(bool for_all);
  void attend(Team& team, bool rang, bool ended);
  [[nodiscard]] Time deadline(const Team& team) const;
  void lose(Team& team, const std::string& how);
  [[nodiscard]] std::string worker_words(const Team& team) const;

  std::string name_;
  GymOptions options_;
  Descriptor start_file_;
  EnvSpec spec_;
  SharedMemory memory_;
  std::optional<Slots> slots_;
  std::vector<Member> members_;
  std::vector<Team> teams_;
  std::vector<GroupAnswer> answers_;  // of the last finish()
  std::vector<GroupAnswer> ready_;    // that no worker needs to give
  int pending_ = 0;                   // requests at workers
  Ring ring_ = Ring::when_all;
  std::vector<pollfd> watched_;
};

}  // namespace tandem
