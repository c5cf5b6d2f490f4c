#include "trained_agent.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <variant>

#include "arrays.h"
#include "interruptible.h"
#include "tandem/base/error.h"
#include "tandem/base/streams.h"
#include "tandem/cluster/roles.h"
#include "tandem/env/normalised_env.h"
#include "tandem/run/atari_scores.h"
#include "tandem/run/recording.h"
#include "tandem/run/run_directory.h"
#include "tandem/trainer/agent_description.h"
#include "tandem/trainer/agent_starts.h"

namespace tandem::python {
namespace {

namespace nb = nanobind;

/// Whether the run's environment is one in Python and the run names no interpreter of this machine.
bool needs_python(const std::string& run) {
  bool in_python = false;
  bool named = false;
  require_run(run);
  for (const auto& setting : read_toml(RunPaths{run}.config())) {
    const auto* text = std::get_if<std::string>(&setting.value);
    if (text == nullptr) continue;
    in_python = in_python || (setting.key == "env.id" && text->starts_with("gym:"));
    named = named || (setting.key == "env.python" && !text->empty() && !lacks_python(*text));
  }
  return in_python && !named;
}

Agent load(const LoadChoice& choice, std::vector<std::string>& damages) {
  std::vector<Setting> changes;
  if (needs_python(choice.run)) changes.push_back({"env.python", choice.python, "python"});
  for (const auto& [key, text] : choice.env) {
    changes.push_back({"env." + key, text, fmt::format("{}={}", key, text)});
  }
  return Agent::load(choice.run, {.checkpoint = choice.checkpoint,
                                  .best = choice.best,
                                  .device = choice.device,
                                  .env = std::move(changes),
                                  .on_damage = [&](const auto& text) { damages.push_back(text); }});
}

/// An environment in Python may start slowly, and Ctrl-C ends the wait for it.
Agent load_interruptibly(const LoadChoice& choice, std::vector<std::string>& damages) {
  struct Loaded {
    std::optional<Agent> agent;
    std::vector<std::string> damages;
  };
  const auto loaded = std::make_shared<Loaded>();
  run_or_leave([loaded, choice] {
    const SignalsBlocked blocked;
    loaded->agent.emplace(load(choice, loaded->damages));
  });
  damages = std::move(loaded->damages);
  return std::move(*loaded->agent);
}

}  // namespace

TrainedAgent::TrainedAgent(const LoadChoice& choice)
    : agent_(load_interruptibly(choice, damages_)), scale_(agent_.config().env.scale()) {}

nb::dict TrainedAgent::env_options() const {
  nb::dict options;
  auto env = agent_.config().env;
  for (const auto& field : env.fields()) {
    if (field.key == "id" || field.key == "workers" || field.key.starts_with("normalise") ||
        field.key.starts_with("observation_")) {
      continue;
    }
    std::visit([&](const auto& value) { options[field.key.c_str()] = value; }, field_value(field));
  }
  return options;
}

std::string TrainedAgent::description() const {
  return describe(agent_.config(), agent_.spec(), agent_.architecture(), agent_.parameters(),
                  agent_.step())
      .dump();
}

void TrainedAgent::seed(std::uint64_t seed) {
  const Caller caller(occupancy_);
  stream_ = Stream(seed, streams::kPlayers.id());
}

std::int64_t TrainedAgent::batch_of(const Rows& observations,
                                    const std::optional<States>& state) const {
  const auto bytes = agent_.spec().observation_bytes();
  if (observations.nbytes() == 0 || observations.nbytes() % bytes != 0) {
    throw Error(fmt::format("{} bytes are not one or more observations of {} bytes",
                            observations.nbytes(), bytes));
  }
  const auto batch = observations.nbytes() / bytes;
  const auto width = static_cast<std::size_t>(state_size());
  if (state && width == 0) throw Error("this agent has no recurrent state; leave out the state");
  if (state && (state->shape(0) != batch || state->shape(1) != width)) {
    throw Error(fmt::format("the state has the shape [{}, {}]; these observations need [{}, {}]",
                            state->shape(0), state->shape(1), batch, width));
  }
  return static_cast<std::int64_t>(batch);
}

Heads TrainedAgent::forward(std::span<const std::byte> observations, std::int64_t batch,
                            std::span<const float> state) {
  if (scale_ != nullptr) {
    scaled_.assign(observations.begin(), observations.end());
    normalise(*scale_, scaled_);
    observations = scaled_;
  }
  const auto samples = static_cast<std::size_t>(batch);
  state_.assign(samples * static_cast<std::size_t>(state_size()), 0.0F);
  std::ranges::copy(state, state_.begin());
  const std::vector<std::uint8_t> no_starts(state_.empty() ? 0 : samples);
  const Heads heads = heads_.of(agent_.architecture(), batch);
  agent_.network().forward(
      {.observations = observations, .state = state_, .episode_starts = no_starts}, heads);
  return heads;
}

nb::object TrainedAgent::state_array(std::int64_t batch) const {
  if (state_size() == 0) return nb::none();
  return array_of<float>(state_,
                         {static_cast<std::size_t>(batch), static_cast<std::size_t>(state_size())});
}

namespace {

std::span<const std::byte> bytes_of(const Rows& rows) {
  return {static_cast<const std::byte*>(rows.data()), rows.nbytes()};
}

std::span<const float> numbers_of(const std::optional<States>& state) {
  if (!state) return {};
  return {state->data(), state->size()};
}

}  // namespace

nb::tuple TrainedAgent::heads(const Rows& observations, const std::optional<States>& state) {
  const Caller caller(occupancy_);
  const auto batch = batch_of(observations, state);
  Heads heads;
  {
    const nb::gil_scoped_release without_gil;
    const SignalsBlocked blocked;
    heads = forward(bytes_of(observations), batch, numbers_of(state));
  }
  const auto rows = static_cast<std::size_t>(batch);
  nb::object value = nb::none();
  if (!heads.value.empty()) value = array_of<float>(heads.value, {rows});
  return nb::make_tuple(
      array_of<float>(heads.logits, {rows, static_cast<std::size_t>(heads.actions)}), value,
      state_array(batch));
}

nb::tuple TrainedAgent::act(const Rows& observations, const std::optional<States>& state,
                            bool greedy) {
  const Caller caller(occupancy_);
  const auto batch = batch_of(observations, state);
  const auto rows = static_cast<std::size_t>(batch);
  const auto& spec = agent_.spec();
  const auto dims = spec.action_low.size();
  std::vector<std::int32_t> discrete(rows);
  std::vector<float> continuous(rows * dims);
  EnvActions env_actions(spec, static_cast<int>(batch));
  std::span<const Action> actions;
  {
    const nb::gil_scoped_release without_gil;
    const SignalsBlocked blocked;
    const auto heads = forward(bytes_of(observations), batch, numbers_of(state));
    const auto& rule = *agent_.algorithm().acting;
    const Actions chosen{discrete, continuous};
    if (greedy) {
      rule.act_greedily(heads, chosen);
    } else {
      const std::vector<Stream*> streams(rows, &stream_);
      const std::vector<float> epsilons(rows, rule.evaluation_epsilon());
      rule.act(heads, streams, epsilons, chosen);
    }
    actions = env_actions.of(chosen);
  }
  nb::object array;
  if (spec.discrete()) {
    std::vector<std::int64_t> numbers(discrete.begin(), discrete.end());
    for (auto& number : numbers) number += spec.first_action;
    array = array_of<std::int64_t>(numbers, {rows});
  } else {
    for (std::size_t i = 0; i < rows; ++i) {
      std::ranges::copy(actions[i].continuous,
                        continuous.begin() + static_cast<std::ptrdiff_t>(i * dims));
    }
    array = array_of<float>(continuous, {rows, dims});
  }
  return nb::make_tuple(array, state_array(batch));
}

/// Between two steps of a game, without the GIL.
void TrainedAgent::handle_signals(SignalsBlocked& blocked) const {
  if (occupancy_.refused()) throw Error("the interpreter ends");
  blocked.handle_now_and_then();
}

nb::tuple TrainedAgent::evaluate(int episodes, int threads, const GamesChoice& games) {
  const Caller caller(occupancy_);
  Evaluation result;
  {
    const nb::gil_scoped_release without_gil;
    SignalsBlocked blocked;
    std::vector<StartState> starts;
    if (!games.starts.empty()) {
      starts = starts_for(agent_, read_starts(games.starts), games.starts);
    }
    result = agent_.evaluate({.episodes = episodes,
                              .play = games.greedy ? Play::greedy : Play::sampled,
                              .seed = games.seed,
                              .threads = threads,
                              .start = games.start,
                              .protocol = games.protocol,
                              .starts = std::move(starts),
                              .on_step = [&](int /*ended*/) { handle_signals(blocked); }});
  }
  std::vector<double> returns;
  std::vector<std::int64_t> lengths;
  for (const auto& game : result.games) {
    returns.push_back(game.episode_return);
    lengths.push_back(game.steps);
  }
  nb::object human = nb::none();
  if (const auto scores = find_atari_scores(env())) {
    human = nb::float_(human_normalised(*scores, result.mean));
  }
  return nb::make_tuple(array_of<double>(returns, {returns.size()}),
                        array_of<std::int64_t>(lengths, {lengths.size()}), result.mean,
                        result.median, result.deviation, result.least, result.most, human);
}

nb::tuple TrainedAgent::record(const std::string& path, double seconds, int scale,
                               const GamesChoice& games) {
  const Caller caller(occupancy_);
  Recording result;
  {
    const nb::gil_scoped_release without_gil;
    SignalsBlocked blocked;
    result = record_game(path,
                         {.seconds = seconds,
                          .scale = scale,
                          .play = games.greedy ? Play::greedy : Play::sampled,
                          .seed = games.seed,
                          .on_step = [&] { handle_signals(blocked); }},
                         agent_.environment(games.start).factory(games.seed), agent_.network(),
                         *agent_.algorithm().acting);
  }
  return nb::make_tuple(result.game_return, result.steps, result.seconds, result.whole);
}

}  // namespace tandem::python
