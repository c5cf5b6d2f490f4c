#include "tandem/cluster/roles.h"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace tandem
