// Reads every checkpoint of a run on a cluster, with the shards of its replay: read_shards RUN.
// Prints a line of JSON for each. Two segments with the same bytes are twins: each segment has
// priorities of its own, so only an insert that was counted twice makes them.
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <stop_token>
#include <string>

#include "tandem/base/error.h"
#include "tandem/base/state.h"
#include "tandem/io/settings.h"
#include "tandem/replay/table.h"
#include "tandem/replay/table_state.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/run_directory.h"
#include "tandem/systems/apex/apex_parts.h"
#include "tandem/systems/apex/apex_system.h"
#include "tandem/trainer/config.h"

namespace tandem {
namespace {

/// The segments of all shards, each as its bytes, with how often it is there.
class Segments {
 public:
  void add(const Table& table) {
    std::set<const Segment*> seen;
    for (const auto& found : table.snapshot().transitions) {
      if (!seen.insert(found.segment.get()).second) continue;
      StateWriter writer;
      found.segment->save(writer);
      const auto bytes = writer.bytes();
      twins_ += counts_[std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())]++;
      transitions_ += std::ssize(found.segment->transitions());
    }
  }

  [[nodiscard]] std::int64_t transitions() const { return transitions_; }
  [[nodiscard]] std::int64_t twins() const { return twins_; }

 private:
  std::map<std::string, std::int64_t> counts_;
  std::int64_t transitions_ = 0;
  std::int64_t twins_ = 0;
};

void read(const std::filesystem::path& run) {
  const auto config = load_config("", read_toml(RunPaths{run}.config()));
  const auto& apex = dynamic_cast<const ApexSystem&>(*config.system);
  const auto format = frame_format(config.env.spec(), compression_of(apex.replay.compression));
  for (const auto& entry : std::filesystem::directory_iterator(RunPaths{run}.checkpoints())) {
    const auto name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto checkpoint = read_checkpoint(entry.path());
    Segments segments;
    for (const auto& [part, pieces] : checkpoint.pieces) {
      Table table(apex.replay, format, 1, 1, std::stop_token());
      restore(table, pieces);
      segments.add(table);
    }
    std::printf("{\"step\": %s, \"transitions\": %lld, \"twins\": %lld}\n",
                std::to_string(std::stoll(name)).c_str(),
                static_cast<long long>(segments.transitions()),
                static_cast<long long>(segments.twins()));
  }
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: read_shards RUN\n", stderr);
    return 2;
  }
  try {
    tandem::read(argv[1]);
  } catch (const tandem::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
