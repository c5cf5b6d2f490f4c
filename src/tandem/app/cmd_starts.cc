#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "tandem/app/agent_options.h"
#include "tandem/app/commands.h"
#include "tandem/app/help.h"
#include "tandem/app/number_check.h"
#include "tandem/base/error.h"
#include "tandem/base/shell_word.h"
#include "tandem/io/files.h"
#include "tandem/run/start_file.h"
#include "tandem/trainer/agent_starts.h"

namespace tandem {
namespace {

constexpr const char* kStartsFooter = R"(
Plays whole games of at most 30 minutes and keeps one state of each, drawn
uniformly from all its steps. `tandem eval --protocol sampled_starts` begins
games in these states. They stand in for the "human starts" of Nair et al.
2015, A3C and Ape-X, which are states that people played to and are not public:
scores from one policy's states cannot be compared with scores from those.)";

struct StartsCommand {
  AgentOptions agent;
  std::filesystem::path out;
  int count = StartsOptions{}.count;
  bool random = false;
  std::int64_t threads = 0;
};

void run(const StartsCommand& command) {
  if (command.random && command.agent.play() == Play::greedy) {
    throw Error("--random takes no action of the policy, so --greedy does not go with it");
  }
  if (std::filesystem::exists(command.out)) {
    throw Error(fmt::format("--out {}: there is a file of this name already; give another name",
                            command.out.string()));
  }
  auto agent = command.agent.load("sampled_starts");
  if (command.out.has_parent_path()) make_folder(command.out.parent_path());
  require_replaceable(command.out);
  const auto threads =
      command.threads > 0 ? static_cast<int>(command.threads) : agent.config().run.thread_budget();
  const auto content =
      record_starts(agent, {.count = command.count,
                            .play = command.random ? Play::uniform : command.agent.play(),
                            .seed = command.agent.seed(),
                            .threads = threads});
  write_starts(content, command.out);
  fmt::print(
      "{} starts of {} in {}, sampled from the play of: {}\n"
      "They are not the human starts of A3C and Ape-X, whose states are not public.\n"
      "tandem eval {} --protocol sampled_starts --starts {}\n",
      content.starts.size(), content.env, command.out.string(), content.policy,
      shell_word(command.agent.run()), shell_word(command.out.string()));
}

}  // namespace

void add_starts(CLI::App& program) {
  const auto options = std::make_shared<StartsCommand>();
  auto* command = program.add_subcommand(
      "starts", "Record states from an agent's play, in which evaluations begin");
  options->agent.add_to(*command);
  command->add_option("--out", options->out, "The file, a new one")->type_name("FILE")->required();
  command->add_option("--count", options->count, "How many states, each from a game of its own")
      ->type_name("N")
      ->transform(whole_number(1, 1'000'000))
      ->capture_default_str();
  command->add_flag("--random", options->random,
                    "Uniformly random actions in place of the agent's");
  command->add_option("--threads", options->threads, "Threads (default: as in training)")
      ->type_name("N")
      ->transform(whole_number(1, 1024));
  end_help(*command, {"tandem starts runs/pong --out runs/pong.starts"}, kStartsFooter);
  command->callback([options] { run(*options); });
}

}  // namespace tandem
