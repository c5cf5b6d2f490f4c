// Several environments that are stepped together, and a factory of environments.
#pragma once

#include <concepts>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tandem/env/env.h"

namespace tandem {

/// A request to one environment of a group. The memory to which it refers stays valid until the
/// answer has been received or the group is destroyed. Value type.
struct GroupRequest {
  int env = 0;                           // counted from 0 within the group
  std::span<const Action> actions = {};  // of each agent; empty: reset
  std::span<std::byte> frames = {};      // receives the frames, as Env::step() writes them
  /// Not empty: if this step ends the episode, the group resets the environment at once, and the
  /// first frames of the next episode go here.
  std::span<std::byte> first_frames = {};
};

/// The answer to a request. Value type.
struct GroupAnswer {
  int env = 0;             // as in the request
  StepResult result = {};  // its `rewards` are valid until the next request to this environment
  std::exception_ptr error = nullptr;  // an Error in this environment; null: none
};

/// Environments that something else steps: other processes, or an engine that runs many games at
/// once. begin() starts steps and returns at once; finish() waits for some of them. Not
/// thread-safe. The destructor ends all that the group started, in the middle of steps, too.
class EnvGroup {
 public:
  virtual ~EnvGroup() = default;

  /// How many environments there are.
  [[nodiscard]] virtual int size() const = 0;

  /// The observations and actions of each of them. Groups save no games, whatever `saves` says.
  [[nodiscard]] virtual const EnvSpec& spec() const = 0;

  /// Starts these requests. No environment may have another one that is not finished.
  virtual void begin(std::span<const GroupRequest> requests) = 0;

  /// Waits until at least `at_least` requests have been answered, and returns the answers that are
  /// there, valid until the next call. After an answer with an error the environment takes a reset.
  /// Throws Error when the group as a whole can go on no more.
  virtual std::span<const GroupAnswer> finish(int at_least) = 0;

  /// The current state of an environment in colour. Call it between its steps.
  [[nodiscard]] virtual Picture render(int /*env*/) { return {}; }
};

/// Makes environments, singly or in groups. Copies share what they make environments from; several
/// threads may use one factory. Value type.
class EnvFactory {
 public:
  /// Makes the environment with this global index.
  using MakeEnv = std::function<std::unique_ptr<Env>(int index)>;
  /// Makes the environments with the global indices from `first` on.
  using MakeGroup = std::function<std::unique_ptr<EnvGroup>(int first, int count)>;

  /// Makes nothing; operator bool tells.
  EnvFactory() = default;

  /// Of environments that are made singly. Implicit, as std::function is: a factory is a function.
  template <class Make,
            class = std::enable_if_t<!std::same_as<std::remove_cvref_t<Make>, EnvFactory> &&
                                     std::is_invocable_r_v<std::unique_ptr<Env>, Make&, int>>>
  EnvFactory(Make make) : make_env_(std::move(make)) {}  // NOLINT(google-explicit-constructor)

  /// Of environments that exist in groups alone.
  static EnvFactory of_groups(MakeGroup make_group);

  /// Whether environments exist in groups alone.
  [[nodiscard]] bool makes_groups() const { return make_group_ != nullptr; }

  /// Whether it can make environments.
  explicit operator bool() const { return make_env_ != nullptr || makes_groups(); }

  /// Makes one environment. It may be a group of one.
  std::unique_ptr<Env> operator()(int index) const;

  /// Makes a group; only where makes_groups().
  [[nodiscard]] std::unique_ptr<EnvGroup> group(int first, int count) const {
    return make_group_(first, count);
  }

 private:
  MakeEnv make_env_;
  MakeGroup make_group_;
};

/// A group's first environment as an Env, which owns the group. It saves nothing.
std::unique_ptr<Env> make_env_of(std::unique_ptr<EnvGroup> group);

}  // namespace tandem
