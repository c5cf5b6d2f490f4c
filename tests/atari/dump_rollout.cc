// dump_rollout ID SEED [key=value ...]: plays the actions on standard input (int32 each) in one
// environment. Writes a record for each reset and step to standard output, where
// gymnasium_oracle.py reads them.
#include <array>
#include <cstdio>
#include <iostream>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/env/family.h"

namespace tandem {
namespace {

void set_option(EnvFamily& family, const std::string& assignment) {
  const auto equals = assignment.find('=');
  for (const auto& field : family.fields()) {
    if (field.key == assignment.substr(0, equals)) {
      set_field_text(field, assignment.substr(equals + 1));
      return;
    }
  }
  throw Error("no such option: " + assignment);
}

void write_record(const std::vector<std::byte>& frame, const StepResult& result) {
  std::fwrite(frame.data(), 1, frame.size(), stdout);
  std::fwrite(&result.reward, sizeof(result.reward), 1, stdout);
  for (const bool flag : {result.terminated, result.truncated, result.game_over}) {
    std::fputc(flag ? 1 : 0, stdout);
  }
}

// When an episode ends within a game, the next step follows without a reset, as in the oracle.
void play(const std::string& id, std::uint64_t seed, std::span<char*> options) {
  const auto family = find_family(id);
  for (const char* option : options) set_option(*family, option);
  const auto env = family->make(env_name(id), seed);
  std::vector<std::byte> frame(env->spec().frame_bytes());
  Stream stream(seed, 0);
  env->reset(stream, frame);
  write_record(frame, {});
  Action action;
  while (std::fread(&action.discrete, sizeof(action.discrete), 1, stdin) == 1) {
    const auto result = env->step(std::array{action}, stream, frame);
    write_record(frame, result);
    if (!result.game_over) continue;
    env->reset(stream, frame);
    write_record(frame, {});
  }
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: dump_rollout ID SEED [key=value ...] < actions > records\n";
    return 2;
  }
  try {
    tandem::play(argv[1], std::stoull(argv[2]), std::span(argv + 3, argv + argc));
  } catch (const tandem::Error& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  return 0;
}
