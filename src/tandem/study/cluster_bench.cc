#include "tandem/study/cluster_bench.h"

#include <algorithm>
#include <filesystem>

#include "tandem/cluster/cluster_way.h"
#include "tandem/io/temporary_folder.h"
#include "tandem/run/run_directory.h"
#include "tandem/run/training_run.h"
#include "tandem/study/env_memory.h"
#include "tandem/study/parts_to_measure.h"

namespace tandem {

ClusterWork measure_cluster_work(const Config& config, int cores, double seconds,
                                 const StopRequested& stop_requested) {
  constexpr int kMostCores = 8;  // more would need much memory and tell little
  const int here = std::min(RunConfig{}.thread_budget(), kMostCores);
  const auto& way = cluster_way_of(*config.system);
  Assembly assembly = parts_to_measure(config, stop_requested);
  // The parts report to a run, though none of it is kept.
  const TemporaryFolder folder;
  auto options = assembly.run_options();
  options.progress = nullptr;
  options.stop_requested = stop_requested;
  TrainingRun run(std::move(options), RunDirectory::create(folder.path()));
  const auto context = assembly.context(run);
  auto work = way.measure_work(*assembly.config().system, context, std::min(cores, here), seconds);
  const double envs = work.rows / static_cast<double>(assembly.spec().agents);
  work.actor_bytes +=
      envs * env_bytes(context.actor.make_env, std::clamp(static_cast<int>(envs), 1, 16));
  return work;
}

}  // namespace tandem
