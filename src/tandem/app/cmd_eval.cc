#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "tandem/app/agent_options.h"
#include "tandem/app/commands.h"
#include "tandem/app/help.h"
#include "tandem/run/atari_scores.h"
#include "tandem/run/evaluation.h"

namespace tandem {
namespace {

constexpr const char* kEvalFooter = R"(
Plays whole games (a lost life does not end one), each in an environment of its
own, and reports their raw returns. The same seed gives the same games. The
human-normalised score is 0 for random play and 1 for that of a professional
games tester.)";

struct EvalOptions {
  AgentOptions agent;
  int episodes = 30;
  std::int64_t threads = 0;
  bool json = false;
};

// The content of the output, as a table or as JSON.
struct Report {
  const EvalOptions& options;
  const Agent& agent;
  Evaluation result;
  std::optional<AtariScores> scores = find_atari_scores(env_name(agent.config().env.id));
  std::vector<double> returns = {};
  std::vector<std::int64_t> lengths = {};  // steps

  [[nodiscard]] bool greedy() const { return options.agent.play() == Play::greedy; }
};

void print_json(const Report& report) {
  const auto& [options, agent, result, scores, returns, lengths] = report;
  nlohmann::ordered_json json = {
      {"run", options.agent.run()},
      {"env", agent.config().env.id},
      {"checkpoint", agent.checkpoint().string()},
      {"checkpoint_steps", agent.step()},
      {"greedy", report.greedy()},
      {"seed", options.agent.seed()},
      {"episodes", result.games.size()},
      {"mean", result.mean},
      {"median", result.median},
      {"std", result.deviation},  // null for a single game
      {"min", result.least},
      {"max", result.most},
      {"human_normalised", nullptr},
      {"returns", returns},
      {"lengths", lengths},
  };
  if (scores) json["human_normalised"] = human_normalised(*scores, result.mean);
  fmt::print("{}\n", json.dump(2));
}

void print_table(const Report& report) {
  const auto& [options, agent, result, scores, returns, lengths] = report;
  fmt::print("{} after {} steps of training ({})\n", agent.config().env.id, agent.step(),
             agent.checkpoint().string());
  fmt::print("{} games, {} actions, seed {}\n\n", returns.size(),
             report.greedy() ? "greedy" : "sampled", options.agent.seed());
  fmt::print("mean              {:.2f}\n", result.mean);
  fmt::print("median            {:.2f}\n", result.median);
  if (returns.size() > 1) fmt::print("std               {:.2f}\n", result.deviation);
  fmt::print("min..max          {:g}..{:g}\n", result.least, result.most);
  if (scores) {
    fmt::print("human-normalised  {:.3f} (random {:g}, human {:g})\n",
               human_normalised(*scores, result.mean), scores->random, scores->human);
  }
  fmt::print("returns           {:g}\n", fmt::join(returns, " "));
  fmt::print("lengths in steps  {}\n", fmt::join(lengths, " "));
}

void run(const EvalOptions& options) {
  auto agent = options.agent.load();
  const auto threads =
      options.threads > 0 ? static_cast<int>(options.threads) : agent.config().run.thread_budget();
  Report report{.options = options,
                .agent = agent,
                .result = agent.evaluate({.episodes = options.episodes,
                                          .play = options.agent.play(),
                                          .seed = options.agent.seed(),
                                          .threads = threads})};
  for (const auto& game : report.result.games) {
    report.returns.push_back(game.episode_return);
    report.lengths.push_back(game.steps);
  }
  options.json ? print_json(report) : print_table(report);
}

}  // namespace

void add_eval(CLI::App& program) {
  auto options = std::make_shared<EvalOptions>();
  auto* command = program.add_subcommand("eval", "Measure how well a trained agent plays");
  options->agent.add_to(*command);
  command->add_option("--episodes", options->episodes, "Games to play")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--threads", options->threads, "Threads (default: as in training)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  command->add_flag("--json", options->json, "Print JSON");
  end_help(*command,
           {"tandem eval runs/pong --best --episodes 30",
            "tandem eval runs/pong --start noop --greedy --json"},
           kEvalFooter);
  command->callback([options] { run(*options); });
}

}  // namespace tandem
