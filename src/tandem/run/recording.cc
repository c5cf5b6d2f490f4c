#include "tandem/run/recording.h"

#include "tandem/base/error.h"
#include "tandem/io/video.h"

namespace tandem {

Recording record_game(const std::filesystem::path& file, const RecordingOptions& options,
                      const EnvFactory& make_env, Network& network, const ActingRule& rule) {
  Games games(VecEnv(make_env, {.seed = options.seed}), network, rule, options.play);
  const VecEnv& env = games.env();
  const auto first = env.render(0);
  if (first.rgb.empty()) throw Error("this environment has no pictures to record");

  const double fps = env.spec().render_fps;
  VideoWriter video(file, first, {.fps = fps, .scale = options.scale});
  Recording recording;
  while (!games.over() && recording.seconds < options.seconds) {
    video.add(env.render(0));
    games.step();
    options.on_step();
    const auto& result = env.result(0);
    recording.game_return += result.score.value_or(result.reward);
    ++recording.steps;
    recording.seconds = static_cast<double>(recording.steps) / fps;
  }
  video.close();
  recording.whole = games.over();
  return recording;
}

}  // namespace tandem
