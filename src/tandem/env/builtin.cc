#include "tandem/env/builtin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>

#include "tandem/base/error.h"
#include "tandem/base/nearest.h"
#include "tandem/env/recorded_times.h"
#include "tandem/env/time_limit.h"

namespace tandem {
namespace {

struct Builtin {
  const char* name;
  std::unique_ptr<Env> (*make)(const BuiltinOptions& options);
  std::int64_t max_steps;  // 0: the game ends by itself
};

constexpr std::array kBuiltins{
    Builtin{"cartpole", make_cartpole, 500}, Builtin{"catch", make_catch, 0},
    Builtin{"labyrinth", make_labyrinth, 0}, Builtin{"latency", make_latency, 1000},
    Builtin{"memory", make_memory, 0},       Builtin{"pendulum", make_pendulum, 200},
};

class BuiltinFamily : public EnvFamily {
 public:
  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> names;
    names.reserve(kBuiltins.size());
    for (const auto& builtin : kBuiltins) names.emplace_back(builtin.name);
    return names;
  }

  [[nodiscard]] FieldList fields() override { return options_.fields(); }

  [[nodiscard]] std::unique_ptr<Env> make(const std::string& name, std::uint64_t) override {
    for (const auto& builtin : kBuiltins) {
      if (name != builtin.name) continue;
      const auto limit = options_.max_steps > 0 ? options_.max_steps : builtin.max_steps;
      auto env = builtin.make(with_recorded_times());
      return limit > 0 ? make_time_limit(std::move(env), limit) : std::move(env);
    }
    if (name.find("-v") != std::string::npos) {
      throw Error(
          fmt::format("there is no environment '{0}'; Gymnasium's are named like gym:{0}", name));
    }
    const auto likely = nearest(name, names());
    throw Error(
        fmt::format("there is no environment '{}'; {}built in are {}, and those of plug-ins "
                    "are named like 'atari:Pong'",
                    name, likely.empty() ? "" : fmt::format("did you mean '{}'? ", likely),
                    fmt::join(names(), ", ")));
  }

 private:
  /// The options with the content of their file, which is read once for all environments.
  const BuiltinOptions& with_recorded_times() {
    if (options_.step_times.empty()) return options_;
    std::call_once(read_, [this] {
      options_.recorded_times =
          std::make_shared<std::vector<double>>(read_recorded_times(options_.step_times));
    });
    return options_;
  }

  BuiltinOptions options_;
  std::once_flag read_;
};

}  // namespace

FieldList BuiltinOptions::fields() {
  constexpr double kMostSteps = 1e12;
  FieldList all = {
      {.key = "stack",
       .target = &stack,
       .meaning = "frames in an observation",
       .least = 1,
       .most = 64},
      {.key = "max_steps",
       .target = &max_steps,
       .meaning = "steps after which an episode is truncated; 0: the environment's own limit",
       .least = 0,
       .most = kMostSteps},
      {.key = "size",
       .target = &size,
       .meaning = "catch: width and height in pixels",
       .least = 10,
       .most = 1024},
      {.key = "players",
       .target = &players,
       .meaning = "catch: agents, each of which moves a paddle of its own",
       .least = 1,
       .most = 64},
      {.key = "delay",
       .target = &delay,
       .meaning = "memory: steps from the cue to the answer",
       .least = 1,
       .most = kMostSteps},
      {.key = "observation",
       .target = &observation,
       .meaning = "latency: 4 numbers, or 84 x 84 pixels",
       .choices = {"small", "pixels"}},
      {.key = "mean_us",
       .target = &mean_us,
       .meaning = "latency: mean time of a step in microseconds",
       .least = 0,
       .most = 1e8},
      {.key = "distribution",
       .target = &distribution,
       .meaning = "latency: distribution of the time of a step (gamma: shape 1/2, a long tail)",
       .choices = {"constant", "uniform", "exponential", "gamma"}},
      {.key = "wait",
       .target = &wait,
       .meaning = "latency: a step uses processor time, or sleeps",
       .choices = {"busy", "sleeping"}},
      {.key = "step_times",
       .target = &step_times,
       .meaning = "latency: file of recorded times, a line for each step in seconds, that steps "
                  "take in place of drawn ones"},
  };
  std::ranges::move(labyrinth.fields(), std::back_inserter(all));
  return all;
}

std::unique_ptr<Env> make_labyrinth(const BuiltinOptions& options) {
  auto own = options.labyrinth;
  own.stack = options.stack;
  return labyrinth::make_labyrinth(own);
}

std::unique_ptr<EnvFamily> make_builtin_family() { return std::make_unique<BuiltinFamily>(); }

}  // namespace tandem
