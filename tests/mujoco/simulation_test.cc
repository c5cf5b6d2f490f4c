// Properties of a task that no frame shows.
#include "simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "model.h"

namespace tandem::mujoco {
namespace {

Simulation make(const std::string& task) {
  const auto info = find_task(task);
  return {info, load_model(TANDEM_SUITE_FOLDER, info.file, info.without)};
}

std::vector<double> features(const Simulation& simulation) {
  const auto values = simulation.observation();
  return {values.begin(), values.end()};
}

// Seen failing when the state of a diverged world was shown.
TEST(Simulation, EndsTheEpisodeWhenItBreaksDown) {
  silence_mujoco();
  auto simulation = make("cheetah-run");
  Stream stream(1, 0);
  simulation.reset(stream);
  auto state = simulation.state();
  // The state holds the time, the positions and then the velocities. At velocities of 1e9 the
  // joints' damping causes accelerations so large that the simulation diverges.
  constexpr int kJoints = 9;
  std::ranges::fill(std::span(state).subspan(1 + kJoints, kJoints), 1e9);
  simulation.reset(state);
  const std::vector<float> control(6);
  const auto before = features(simulation);
  const auto outcome = simulation.step(control);
  EXPECT_TRUE(outcome.diverged);
  EXPECT_EQ(outcome.reward, 0);
  EXPECT_EQ(features(simulation), before);
  simulation.reset(stream);
  EXPECT_FALSE(simulation.step(control).diverged);
}

TEST(Simulation, GoesOnFromAStateWithTheSameBits) {
  auto simulation = make("humanoid-walk");
  auto other = make("humanoid-walk");
  Stream stream(1, 0);
  simulation.reset(stream);
  std::vector<float> control(simulation.physics().control().size());
  for (int step = 0; step < 150; ++step) {
    std::ranges::generate(control, [&] { return 2 * stream.uniform() - 1; });
    simulation.step(control);
  }
  StateWriter writer;
  simulation.save(writer);
  StateReader reader(writer.bytes());
  other.load(reader);
  EXPECT_EQ(features(other), features(simulation));
  for (int step = 0; step < 150; ++step) {
    std::ranges::generate(control, [&] { return 2 * stream.uniform() - 1; });
    ASSERT_EQ(other.step(control).reward, simulation.step(control).reward);
    ASSERT_EQ(features(other), features(simulation)) << "step " << step;
    ASSERT_EQ(other.state(), simulation.state()) << "step " << step;
  }
}

TEST(Simulation, AStepIsAsLongAsTheTaskSays) {
  EXPECT_DOUBLE_EQ(make("pendulum-swingup").control_timestep(), 0.02);
  EXPECT_DOUBLE_EQ(make("humanoid-walk").control_timestep(), 0.025);
  EXPECT_DOUBLE_EQ(make("manipulator-bring_ball").control_timestep(), 0.01);
}

}  // namespace
}  // namespace tandem::mujoco
