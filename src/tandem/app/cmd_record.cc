#include <fmt/format.h>

#include <memory>
#include <string>

#include "tandem/app/agent_options.h"
#include "tandem/app/commands.h"
#include "tandem/app/help.h"
#include "tandem/app/number_check.h"
#include "tandem/run/recording.h"

namespace tandem {
namespace {

constexpr const char* kRecordFooter = R"(
Plays one whole game in colour and writes it as an H.264 video, at the speed of
the console and as near to the shape of its screen as whole pixels allow. Needs
ffmpeg.)";

struct RecordOptions {
  AgentOptions agent;
  RecordingOptions recording;
  std::string out;
};

void run(const RecordOptions& options) {
  auto agent = options.agent.load();
  auto recording = options.recording;
  recording.play = options.agent.play();
  recording.seed = options.agent.seed();
  const auto& env = agent.config().env;
  const auto result = record_game(options.out, recording, env.factory(recording.seed),
                                  agent.network(), *agent.algorithm().acting);
  fmt::print("{}: {} of {} after {} steps of training, return {:.10g} in {} steps ({:.1f} s)\n",
             options.out, result.whole ? "a game" : "the start of a game", env.id, agent.step(),
             result.game_return, result.steps, result.seconds);
}

}  // namespace

void add_record(CLI::App& program) {
  auto options = std::make_shared<RecordOptions>();
  auto* command = program.add_subcommand("record", "Record a game of a trained agent as a video");
  options->agent.add_to(*command);
  command->add_option("--out", options->out, "Video to write, such as pong.mp4")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--seconds", options->recording.seconds,
                   "Stop after so many seconds of play (default: when the game is over)")
      ->type_name("T")
      ->transform(real_number(0.1, 1e6));
  command
      ->add_option("--scale", options->recording.scale,
                   "Enlarge the pictures so many times (default: to about 640 rows)")
      ->type_name("N")
      ->transform(whole_number(1, 32));
  end_help(*command,
           {"tandem record runs/pong --out pong.mp4",
            "tandem record runs/pong --out pong.mp4 --greedy --seconds 20"},
           kRecordFooter);
  command->callback([options] { run(*options); });
}

}  // namespace tandem
