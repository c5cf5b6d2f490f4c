#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tandem/app/agent_options.h"
#include "tandem/app/commands.h"
#include "tandem/app/final_metric_report.h"
#include "tandem/app/help.h"
#include "tandem/app/number_check.h"
#include "tandem/base/error.h"
#include "tandem/io/json_text.h"
#include "tandem/run/atari_scores.h"
#include "tandem/run/evaluation.h"
#include "tandem/study/hts/final_metric.h"
#include "tandem/trainer/agent_starts.h"
#include "tandem/trainer/whole_games.h"

namespace tandem {
namespace {

constexpr const char* kEvalFooter = R"(
Plays whole games (a lost life does not end one), each in an environment of its
own, and reports their raw returns. The same seed gives the same games. The
human-normalised score is 0 for random play and 1 for that of a professional
games tester, both measured under no-op starts.

Protocols of the papers:
  noop            up to 30 no-ops, then 30 minutes of play at most (108,000
                  frames of Atari, whatever the training's env.max_frames was)
  sampled_starts  games begin in the states of a file of `tandem starts`, and
                  rewards count from there; 30 minutes at most, from the game's
                  own beginning. Sampled from a policy's play, these states
                  stand in for the human starts of A3C and Ape-X, which are not
                  public
  hts             HTS-RL's final metric: the mean over ten games by each of the
                  last ten policies, from the evaluations that the run recorded
                  (run.evaluate_steps); plays nothing)";

struct EvalOptions {
  AgentOptions agent;
  std::string protocol;
  std::string starts;
  int episodes = 0;  // 0: as many as the protocol has
  std::int64_t threads = 0;
  bool json = false;
};

// The content of the output, as a table or as JSON.
struct Report {
  const EvalOptions& options;
  const Agent& agent;
  std::optional<StartFile> starts;  // without their states
  Evaluation result;
  std::optional<std::int64_t> most_frames = tandem::most_frames(agent.config().env);
  std::optional<AtariScores> scores = find_atari_scores(agent.config().env.id);
  std::vector<double> returns = {};
  std::vector<std::int64_t> lengths = {};  // steps

  [[nodiscard]] bool greedy() const { return options.agent.play() == Play::greedy; }
};

using Json = nlohmann::ordered_json;

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

void print_json(const Report& report) {
  const auto& [options, agent, starts, result, most_frames, scores, returns, lengths] = report;
  Json json = {
      {"run", options.agent.run()},
      {"env", agent.config().env.id},
      {"checkpoint", agent.checkpoint().string()},
      {"checkpoint_steps", agent.step()},
      {"protocol", or_null(options.protocol)},
      {"starts", or_null(options.starts)},
      {"starts_policy", starts ? Json(starts->policy) : Json()},
      {"max_frames", most_frames && *most_frames > 0 ? Json(*most_frames) : Json()},
      {"greedy", report.greedy()},
      {"seed", options.agent.seed()},
      {"episodes", result.games.size()},
  };
  add_statistics(json, result, scores);
  json["returns"] = returns;
  json["lengths"] = lengths;
  fmt::print("{}\n", json_text(json));
}

/// The rules by which the games were played, as sentences.
std::string rules(const Report& report) {
  std::string text;
  if (report.options.protocol == "noop")
    text += "protocol noop: up to 30 no-ops before each game\n";
  if (report.starts) {
    text += fmt::format(
        "protocol sampled_starts: games begin in states sampled from the play of: {}\n"
        "(these are not the human starts of A3C and Ape-X, whose states are not public);\n"
        "rewards count from there\n",
        report.starts->policy);
  }
  if (report.options.protocol.empty()) return text;
  const auto& frames = report.most_frames;
  if (!frames) return text + "games end by the environment's own rules\n";
  if (*frames == 0) return text + "no game is cut off\n";
  constexpr double kFramesPerMinute = 3600;
  return text + fmt::format("a game is cut off {} frames ({:g} minutes) after its beginning\n",
                            *frames, static_cast<double>(*frames) / kFramesPerMinute);
}

void print_table(const Report& report) {
  const auto& [options, agent, starts, result, most_frames, scores, returns, lengths] = report;
  fmt::print("{} after {} steps of training ({})\n", agent.config().env.id, agent.step(),
             agent.checkpoint().string());
  fmt::print("{} games, {} actions, seed {}\n", returns.size(),
             report.greedy() ? "greedy" : "sampled", options.agent.seed());
  fmt::print("{}\n", rules(report));
  print_statistics(result, scores);
  fmt::print("returns           {:.10g}\n", fmt::join(returns, " "));
  fmt::print("lengths in steps  {}\n", fmt::join(lengths, " "));
}

/// Throws Error for options that do not go together.
void check(const EvalOptions& options) {
  const bool sampled_starts = options.protocol == "sampled_starts";
  if (sampled_starts && options.starts.empty()) {
    throw Error(
        "--protocol sampled_starts needs --starts FILE, which `tandem starts RUN --out FILE` "
        "writes");
  }
  if (!sampled_starts && !options.starts.empty()) {
    throw Error("--starts belongs to --protocol sampled_starts; add it, or leave --starts out");
  }
  if (!options.protocol.empty() && !options.agent.start().empty()) {
    throw Error(
        fmt::format("--protocol {} decides how games start; leave --start out", options.protocol));
  }
  if (options.protocol != FinalMetric::kProtocol) return;
  const auto given = options.agent.given();
  const std::string other = options.episodes != 0 ? "--episodes" : "--threads";
  if (given.empty() && options.episodes == 0 && options.threads == 0) return;
  throw Error(
      fmt::format("--protocol hts reads the games that the run recorded and plays none, so {} "
                  "cannot change them; leave it out",
                  given.empty() ? other : given));
}

void run(const EvalOptions& options) {
  check(options);
  if (options.protocol == FinalMetric::kProtocol)
    return report_final_metric(options.agent.run(), options.json);
  auto agent = options.agent.load(options.protocol);
  std::optional<StartFile> file;
  std::vector<StartState> starts;
  if (!options.starts.empty()) {
    file = read_starts(options.starts);
    starts = starts_for(agent, *file, options.starts);
    file->starts.clear();
  }
  Report report{.options = options,
                .agent = agent,
                .starts = std::move(file),
                .result = agent.evaluate({.episodes = options.episodes,
                                          .play = options.agent.play(),
                                          .seed = options.agent.seed(),
                                          .threads = static_cast<int>(options.threads),
                                          .starts = std::move(starts)})};
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
  command
      ->add_option("--protocol", options->protocol,
                   "The rules of a paper's evaluation (default: games as in training)")
      ->type_name("P")
      ->check(CLI::IsMember({"noop", "sampled_starts", FinalMetric::kProtocol}));
  command
      ->add_option("--starts", options->starts, "For sampled_starts: the file of `tandem starts`")
      ->type_name("FILE");
  command
      ->add_option("--episodes", options->episodes,
                   "Games to play (default: 30; with --starts one from each of them)")
      ->type_name("N")
      ->transform(whole_number(1, 1'000'000));
  command->add_option("--threads", options->threads, "Threads (default: as in training)")
      ->type_name("N")
      ->transform(whole_number(1, 1024));
  command->add_flag("--json", options->json, "Print JSON");
  end_help(*command,
           {"tandem eval runs/pong --best --episodes 30",
            "tandem eval runs/pong --protocol noop --greedy --json"},
           kEvalFooter);
  command->callback([options] { run(*options); });
}

}  // namespace tandem
