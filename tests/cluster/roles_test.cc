#include "tandem/cluster/roles.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "tandem/io/temporary_folder.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/run_directory.h"
#include "tests/support/config_values.h"

namespace tandem {
namespace {

/// The interpreter of a part whose own is /bin/sh, in a run with this one.
std::string python_of_part(const std::string& python) {
  Config config =
      load_config("apex", {{"env.id", "gym:CartPole-v1", "test"}, {"env.python", python, "test"}});
  const auto part = config_of({.config = config.toml(), .python = "/bin/sh"});
  return value_of<std::string>(part, "env.python");
}

// Seen failing when every part took its own, whatever the user had named.
TEST(Roles, APartTakesItsOwnPythonWhereTheRunsIsMissing) {
  EXPECT_EQ(python_of_part("/bin/cat"), "/bin/cat");
  EXPECT_EQ(python_of_part("/no/python"), "/bin/sh");
  EXPECT_EQ(python_of_part(""), "/bin/sh");
  EXPECT_EQ(python_of_part("python3.11"), "python3.11") << "a name for $PATH";
}

// A cluster may go on with a run of one machine.
TEST(Roles, AnActorsStateIsNotThatOfItsPlace) {
  const TemporaryFolder folder;
  Checkpoint checkpoint;
  checkpoint.add_blob("actor_12", {std::byte{1}});
  checkpoint.add_blob("actor_12_successors", {std::byte{2}});
  write_checkpoint(checkpoint, RunPaths{folder.path()}.checkpoints(), 5);
  const auto states = saved_actors(folder.path());
  ASSERT_EQ(states.size(), 1U);
  EXPECT_EQ(states.at(12), checkpoint.blobs.at("actor_12"));
}

}  // namespace
}  // namespace tandem
