#include "tandem/app/agent_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "tandem/app/config_options.h"
#include "tandem/app/number_check.h"

namespace tandem {

void AgentOptions::add_to(CLI::App& app) {
  app.add_option("RUN", run_, "Folder of the run, as `tandem train` made it")->required();
  auto* checkpoint =
      app.add_option("--checkpoint", checkpoint_, "Steps of the checkpoint (default: the newest)")
          ->type_name("STEP")
          ->transform(whole_number(0));
  app.add_flag("--best", best_,
               "The checkpoint that played best in evaluations during the training "
               "(run.evaluate_steps)")
      ->excludes(checkpoint);
  app.add_option("--start", start_,
                 "noop: 1 to 30 no-ops at the start of a game; fixed: none "
                 "(default: as in training)")
      ->type_name("noop|fixed")
      ->check(CLI::IsMember({"noop", "fixed"}));
  app.add_flag("--greedy", greedy_, "Take the most probable action instead of sampling");
  app.add_option("--seed", seed_, "Seed of the games and of sampling")
      ->type_name("S")
      ->transform(whole_number(0))
      ->capture_default_str();
  app.add_option("--device", device_, "cpu or cuda (default: as in training)")
      ->type_name("D")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  add_sets(app, sets_, "Change an option of the environment (env.*)");
}

std::vector<std::string> AgentOptions::words(std::optional<std::int64_t> newest) const {
  std::vector<std::string> words = {run_, "--seed", fmt::format("{}", seed_)};
  const auto step = checkpoint_ ? checkpoint_ : best_ ? std::nullopt : newest;
  if (step) words.insert(words.end(), {"--checkpoint", fmt::format("{}", *step)});
  if (best_) words.emplace_back("--best");
  if (!start_.empty()) words.insert(words.end(), {"--start", start_});
  if (!device_.empty()) words.insert(words.end(), {"--device", device_});
  for (const auto& set : sets_) words.insert(words.end(), {"--set", set});
  if (greedy_) words.emplace_back("--greedy");
  return words;
}

std::string AgentOptions::given() const {
  std::vector<std::string> options;
  if (checkpoint_) options.emplace_back("--checkpoint");
  if (best_) options.emplace_back("--best");
  if (!start_.empty()) options.emplace_back("--start");
  if (!device_.empty()) options.emplace_back("--device");
  if (!sets_.empty()) options.emplace_back("--set");
  if (greedy_) options.emplace_back("--greedy");
  if (seed_ != 0) options.emplace_back("--seed");
  return fmt::format("{}", fmt::join(options, ", "));
}

Agent AgentOptions::load(const std::string& protocol) const {
  return Agent::load(run_, {.checkpoint = checkpoint_,
                            .best = best_,
                            .device = device_,
                            .env = parse_sets(sets_),
                            .start = start_,
                            .protocol = protocol,
                            .on_damage = [](const std::string& damage) {
                              std::fputs(fmt::format("tandem: warning: {}\n", damage).c_str(),
                                         stderr);
                            }});
}

}  // namespace tandem
