#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/app/help.h"
#include "tandem/app/number_check.h"
#include "tandem/app/signals.h"
#include "tandem/io/json_text.h"
#include "tandem/io/text_table.h"
#include "tandem/study/apex/replay_speed.h"

namespace tandem {
namespace {

struct ReplayBenchOptions {
  ReplayTask task;
  std::string frames = "game";
  bool json = false;
};

nlohmann::ordered_json to_json(const ReplayTask& task, const ReplaySpeed& speed) {
  const auto rates = [](const ReplayRates& r) {
    return nlohmann::ordered_json{{"inserts_per_second", r.inserts},
                                  {"samples_per_second", r.samples}};
  };
  return {{"capacity", task.replay.capacity},
          {"compression", task.replay.compression},
          {"sampler", task.replay.sampler},
          {"batch", task.batch},
          {"writers", task.writers},
          {"readers", task.readers},
          {"writing", rates(speed.writing)},
          {"reading", rates(speed.reading)},
          {"together", rates(speed.together)},
          {"bytes_per_transition", speed.bytes_per_transition},
          {"sample_bytes", speed.sample_bytes},
          {"copy_bytes_per_second", speed.copy_bytes_per_second},
          {"copies_bytes_per_second", speed.copies_bytes_per_second}};
}

std::string rate(double per_second) {
  return per_second > 0 ? fmt::format("{:.0f}", per_second) : "-";
}

void print(const ReplayTask& task, const ReplaySpeed& speed) {
  std::vector<std::vector<std::string>> rows = {
      {"", "INSERTS/S", "SAMPLES/S", "BATCHES/S", "GB/S INTO BATCHES"}};
  const auto add = [&](const std::string& what, const ReplayRates& r) {
    const double gigabytes = r.samples * speed.sample_bytes / 1e9;
    rows.push_back(
        {what, rate(r.inserts), rate(r.samples),
         r.samples > 0 ? fmt::format("{:.1f}", r.samples / static_cast<double>(task.batch)) : "-",
         r.samples > 0 ? fmt::format("{:.2f}", gigabytes) : "-"});
  };
  add(fmt::format("{} writers", task.writers), speed.writing);
  add(fmt::format("{} readers", task.readers), speed.reading);
  add("together", speed.together);
  fmt::print(
      "{}\n{:.0f} bytes a transition. Plain copies write {:.1f} GB/s by one thread, {:.1f} by one "
      "for each core.\n",
      format_table(rows, terminal_width()), speed.bytes_per_transition,
      speed.copy_bytes_per_second / 1e9, speed.copies_bytes_per_second / 1e9);
}

void run(ReplayBenchOptions& options) {
  options.task.random = options.frames == "noise";
  const StopSignals signals;
  const auto speed = measure_replay(options.task, signals.stop_requested());
  if (options.json) return fmt::print("{}\n", json_text(to_json(options.task, speed)));
  print(options.task, speed);
}

}  // namespace

void add_bench_replay(CLI::App& bench) {
  const auto options = std::make_shared<ReplayBenchOptions>();
  auto& task = options->task;
  auto* replay =
      bench.add_subcommand("replay", "Transitions of 4x84x84 bytes through Ape-X's replay");
  const auto add_count = [&](const char* name, std::int64_t& value, const char* meaning) {
    replay->add_option(name, value, meaning)
        ->transform(whole_number(1, 16'000'000))
        ->capture_default_str();
  };
  add_count("--writers", task.writers, "Threads that insert");
  add_count("--readers", task.readers, "Threads that sample and give new priorities");
  add_count("--batch", task.batch, "Transitions of a sample");
  add_count("--capacity", task.replay.capacity, "Capacity of the replay, in transitions");
  replay->add_option("--sampler", task.replay.sampler, "How transitions are drawn")
      ->check(CLI::IsMember({"prioritized", "uniform"}))
      ->capture_default_str();
  replay->add_option("--compression", task.replay.compression, "Of frames")
      ->check(CLI::IsMember({"none", "lz4", "zstd", "png"}))
      ->capture_default_str();
  replay->add_option("--frames", options->frames, "Pictures like a game's, or noise")
      ->check(CLI::IsMember({"game", "noise"}))
      ->capture_default_str();
  replay->add_option("--seconds", task.seconds, "How long to measure each of three times")
      ->transform(real_number(0.01, 3600.0))
      ->capture_default_str();
  replay->add_flag("--json", options->json, "Print JSON");
  end_help(*replay, {"tandem bench replay", "tandem bench replay --compression lz4 --readers 2"});
  replay->callback([options] { run(*options); });
}

}  // namespace tandem
