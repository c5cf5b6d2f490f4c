#include "tandem/app/cluster_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tandem/app/number_check.h"
#include "tandem/app/signals.h"
#include "tandem/base/error.h"
#include "tandem/cluster/cluster_way.h"
#include "tandem/io/json_text.h"
#include "tandem/io/text_table.h"
#include "tandem/study/cluster_bench.h"
#include "tandem/study/cluster_forecast.h"

namespace tandem {
namespace {

/// A config with as many actors as the cluster.
Config config_of_cluster(ConfigRequest request, int actors, int threads) {
  request.read_base();  // a pipe gives its settings once
  auto config = request.load();
  const auto key = cluster_way_of(*config.system).actors_key();
  std::vector<Setting> last;
  if (actors > 0) last.push_back({key, std::to_string(actors), "--actors"});
  if (config.run.threads == 0) last.push_back({"run.threads", std::to_string(threads), "--cores"});
  return request.load(last);
}

double actors_of(Config& config) {
  const auto key = cluster_way_of(*config.system).actors_key();
  return static_cast<double>(whole_value(config.fields(), key));
}

std::string bytes_text(double bytes) {
  return bytes < 1e9 ? plain_number(1e-6 * bytes, 3) + " MB"
                     : plain_number(1e-9 * bytes, 3) + " GB";
}

std::string rate_text(double bytes) { return plain_number(1e-6 * bytes, 3) + " MB/s"; }

std::string share_text(double share) {
  return share < 10 ? fmt::format("{:.0f}%", 100 * share) : fmt::format("{:.0f}x", share);
}

nlohmann::ordered_json json_of(const ClusterShape& shape, const ClusterForecast& forecast) {
  nlohmann::ordered_json uses = nlohmann::ordered_json::object();
  for (const auto& use : forecast.uses) uses[use.name] = use.share;
  const auto& load = forecast.load;
  return {{"steps_per_second", forecast.rates.steps()},
          {"updates_per_second", forecast.rates.updates},
          {"network_in_bytes_per_second", load.network_in},
          {"network_out_bytes_per_second", load.network_out},
          {"shard_bytes", forecast.memory.shard},
          {"actor_bytes", forecast.memory.actor},
          {"actors_machine_bytes", forecast.memory.actors_machine},
          {"learners_machine_bytes", forecast.memory.learners_machine},
          {"cores",
           {{"actors", load.actor_cores},
            {"learner", load.learner_cores},
            {"shards", load.shard_cores},
            {"ray", load.carrier_cores}}},
          {"publications_per_second", load.publications},
          {"waiting_actors", shape.waiting_actors()},
          {"uses", uses},
          {"saturates_first", forecast.uses.front().name}};
}

nlohmann::ordered_json json_of(const ClusterWork& work) {
  return {{"step_us", 1e6 * work.step_seconds},
          {"step_span_us", 1e6 * work.step_span},
          {"insert_us", 1e6 * work.insert_seconds},
          {"draw_us", 1e6 * work.draw_seconds},
          {"gradient_us", 1e6 * work.gradient_seconds},
          {"apply_us", 1e6 * work.apply_seconds},
          {"take_us", 1e6 * work.take_seconds},
          {"unpack_us", 1e6 * work.unpack_seconds},
          {"wire_bytes", work.wire_bytes},
          {"kept_bytes", work.kept_bytes},
          {"sample_bytes", work.sample_bytes},
          {"parameter_bytes", work.parameter_bytes}};
}

void print_work(const ClusterWork& work) {
  fmt::print(
      "measured: an actor's step {}, an insert {}, a draw of {:.0f} {}, an update {},\n"
      "a transition {:.0f} bytes on the network and {:.0f} in the replay\n\n",
      time_text(work.step_seconds), time_text(work.insert_seconds), work.batch,
      time_text(work.draw_seconds),
      time_text(work.gradient_seconds + work.apply_seconds + work.take_seconds +
                work.unpack_seconds),
      work.wire_bytes, work.kept_bytes);
}

void print_rates(const ClusterForecast& forecast) {
  const auto& load = forecast.load;
  const auto& memory = forecast.memory;
  std::vector<std::vector<std::string>> rows = {
      {"steps/s", fmt::format("{:.0f}", forecast.rates.steps())},
      {"updates/s", plain_number(forecast.rates.updates, 3)},
      {"network to the learner", rate_text(load.network_in)},
      {"network from the learner", rate_text(load.network_out)},
      {"memory of a shard", bytes_text(memory.shard)},
      {"memory of an actor", bytes_text(memory.actor)},
      {"memory of the learner's machine", bytes_text(memory.learners_machine)}};
  if (memory.actors_machine > 0) {
    rows.push_back({"memory of another machine", bytes_text(memory.actors_machine)});
  }
  rows.push_back({"cores of actors", fmt::format("{:.2f}", load.actor_cores)});
  rows.push_back({"cores of the learner", fmt::format("{:.2f}", load.learner_cores)});
  rows.push_back({"cores of shards", fmt::format("{:.2f}", load.shard_cores)});
  rows.push_back({"cores of Ray", fmt::format("{:.2f}", load.carrier_cores)});
  fmt::print("{}\n", format_table(rows, terminal_width()));
}

void print_uses(const ClusterShape& shape, const ClusterForecast& forecast) {
  std::vector<std::vector<std::string>> rows = {{"RESOURCE", "USED"}};
  for (const auto& use : forecast.uses) rows.push_back({use.name, share_text(use.share)});
  fmt::print("{}\nSaturates first: {}.\n", format_table(rows, terminal_width()),
             forecast.uses.front().name);
  if (const double waiting = shape.waiting_actors(); waiting > 0) {
    fmt::print("{:.0f} actors find no core and wait for one.\n", waiting);
  }
  const double publications = forecast.load.publications;
  if (publications > 0 && publications < 2) {
    fmt::print("An actor gets new parameters every {}.\n", time_text(1 / publications));
  }
}

}  // namespace

double network_bytes(const std::string& text) {
  std::string plain;
  for (const char c : text) {
    if (c != ' ') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  std::string_view unit = plain;
  double number = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), number);
  unit.remove_prefix(static_cast<std::size_t>(end - plain.data()));
  if (unit.ends_with("/s")) unit.remove_suffix(2);
  const double bits = unit == "gbit" ? 1e9 : unit == "mbit" ? 1e6 : 0;
  if (error != std::errc() || !(number > 0) || !std::isfinite(number) || bits == 0) {
    throw Error(fmt::format("--network {}: write a speed such as 10Gbit/s or 800Mbit/s", text));
  }
  return number * bits / 8;
}

void ClusterAdvice::add_to(CLI::App& command) {
  auto* cluster = command.add_option("--cluster", system_, "Forecast this system on a cluster")
                      ->type_name("SYSTEM");
  const auto add = [&](const char* name, auto& value, const char* meaning) {
    return command.add_option(name, value, meaning)->needs(cluster);
  };
  add("--config", config_, "TOML file, or the name of a preset")->type_name("FILE");
  add("--actors", actors_, "Processes that play (default: the config's)")
      ->type_name("N")
      ->transform(whole_number(1, 100'000));
  add("--shards", shards_, "Processes that hold the replay")
      ->type_name("N")
      ->transform(whole_number(1, 64))
      ->capture_default_str();
  add("--machines", machines_, "Machines; one has the learner and the shards")
      ->type_name("N")
      ->transform(whole_number(1, 100'000))
      ->capture_default_str();
  add("--cores", cores_, "Cores of each machine (default: this one's)")
      ->type_name("N")
      ->transform(whole_number(1, 1024));
  add("--network", network_, "Speed of a machine's network: 10Gbit/s, 800Mbit/s")
      ->type_name("SPEED");
  add("--load", load_, "Tell what these rates of steps and updates need, instead of the highest")
      ->type_name("STEPS UPDATES")
      ->expected(2)
      ->transform(real_number(1e-6, 1e12));
  command
      .add_flag("--shared-cores", shared_cores_,
                "The machines are hosts of one machine and share its cores")
      ->needs(cluster);
}

ClusterShape ClusterAdvice::shape(double actors) const {
  const int cores = cores_ > 0 ? cores_ : RunConfig{}.thread_budget();
  return {.actors = actors,
          .shards = static_cast<double>(shards_),
          .machines = static_cast<double>(machines_),
          .cores = static_cast<double>(cores),
          .network_bytes = network_.empty() ? 0 : network_bytes(network_),
          .shared_cores = shared_cores_};
}

void ClusterAdvice::run(const std::vector<Setting>& settings, double seconds, bool json) const {
  const int cores = static_cast<int>(shape(1).cores);
  auto config =
      config_of_cluster({.system = system_, .base = config_, .settings = settings}, actors_, cores);
  const auto shape = this->shape(actors_of(config));
  if (!shape.shared_cores && shape.machines > 1 && shape.learner_cpus() > shape.cores) {
    throw Error(fmt::format("the learner and its {} shards need {:g} cores of one machine", shards_,
                            shape.learner_cpus()));
  }
  const StopSignals signals;
  const auto work = measure_cluster_work(config, cores, seconds, signals.stop_requested());
  const auto forecast = load_.empty()
                            ? forecast_cluster(work, kRay, shape)
                            : forecast_at(work, kRay, shape, even_rates(shape, load_[0], load_[1]));
  if (json) {
    auto figures = json_of(shape, forecast);
    figures["measured"] = json_of(work);
    fmt::print("{}\n", json_text(figures));
    return;
  }
  fmt::print(
      "{} on {}: {:.0f} actors of {:.0f} environments, {:.0f} shards, {:.0f} machines of {:.0f} "
      "cores{}\n",
      config.system_name, config.env.id, shape.actors, work.rows, shape.shards, shape.machines,
      shape.cores, shape.shared_cores ? " in all" : "");
  print_work(work);
  print_rates(forecast);
  print_uses(shape, forecast);
}

}  // namespace tandem
