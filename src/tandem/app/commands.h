// The subcommands of the program, each in a file of its own.
#pragma once

#include <CLI/CLI.hpp>

namespace tandem {

/// Each function adds one subcommand with its options. Parsing the command line runs the
/// subcommand; its exceptions reach the caller.
void add_train(CLI::App& program);
void add_install(CLI::App& program);
void add_envs(CLI::App& program);
void add_systems(CLI::App& program);
void add_presets(CLI::App& program);
void add_keys(CLI::App& program);
void add_rollout(CLI::App& program);
void add_bench(CLI::App& program);
void add_bench_env(CLI::App& bench);  // subcommands of `bench`
void add_bench_replay(CLI::App& bench);
void add_eval(CLI::App& program);
void add_starts(CLI::App& program);
void add_record(CLI::App& program);
void add_export(CLI::App& program);
void add_plot(CLI::App& program);
void add_compare(CLI::App& program);
void add_sweep(CLI::App& program);
void add_speedup(CLI::App& program);
void add_reproduce(CLI::App& program);
void add_predict(CLI::App& program);
void add_advise(CLI::App& program);
void add_cluster(CLI::App& program);
void add_track(CLI::App& program);
void add_verify(CLI::App& program);
void add_experiment(CLI::App& program);
// Subcommands of `experiment`.
void add_ga3c_grid(CLI::App& experiment);
void add_hts_runtime(CLI::App& experiment);
void add_hts_football(CLI::App& experiment);
void add_hts_step_times(CLI::App& experiment);
void add_apex_study(CLI::App& experiment);

}  // namespace tandem
